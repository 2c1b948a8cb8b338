import OzuBase
import OzuImaging

extension ImageMetadata {
  /// Copies EXIF data, unless there already are some. An `Exif\0\0` before them is left out, also if its second
  /// zero is missing.
  package mutating func add(exif bytes: Span<UInt8>) {
    guard exif == nil, bytes.count > 0 else { return }
    let start = bytes.hasBytes("Exif\0", at: 0) ? min(6, bytes.count) : 0
    exif = copy(bytes.extracting(start..<bytes.count), name: "EXIF data")
    resolution = resolution ?? EXIFMetadata.resolution(in: bytes)
  }

  /// Copies an XMP packet, unless there already is one.
  package mutating func add(xmp bytes: Span<UInt8>) {
    guard xmp == nil, bytes.count > 0 else { return }
    xmp = copy(bytes, name: "XMP")
  }

  /// Copies the data sets of IPTC-IIM, unless there already are some.
  package mutating func add(iptc data: Data?) {
    guard iptc == nil, let data, !data.isEmpty else { return }
    iptc = copy(data.span, name: "IPTC-IIM")
  }

  /// Copies the profile of the header, and reads the values of the blocks. Called when all blocks are there.
  ///
  /// - Parameters:
  ///   - iptcDigest: the digest of IPTC-IIM when XMP was written last, if the file has one.
  ///   - extendedXMP: what did not fit into the packet. Its values are read; it is not kept.
  package mutating func complete(
    with header: ImageHeader, iptcDigest: [UInt8]? = nil, extendedXMP: Data? = nil
  ) {
    add(profileOf: header)
    values = MetadataValues(
      exif: exif, iptc: iptc, iptcDigest: iptcDigest, xmp: xmp, extendedXMP: extendedXMP)
  }

  private mutating func add(profileOf header: ImageHeader) {
    guard case .profile(let profile)? = header.colorEncoding, !profile.data.isEmpty else { return }
    if profile.data.count <= Self.largestBlock {
      colorProfile = profile
    } else {
      leaveOut("the colour profile", byteCount: profile.data.count)
    }
  }

  private mutating func copy(_ bytes: Span<UInt8>, name: String) -> Data? {
    guard bytes.count <= Self.largestBlock else {
      leaveOut(name, byteCount: bytes.count)
      return nil
    }
    return Data(bytes.copy(from: 0, byteCount: bytes.count))
  }

  private mutating func leaveOut(_ name: String, byteCount: Int) {
    notes.append("\(name) of \(byteCount) bytes are left out: more than \(Self.largestBlock)")
  }
}
