import OzuImaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension ImageMetadata {
  /// Takes a copy of EXIF data, unless there are some already. An `Exif\0\0` before them is left out, and so is its
  /// misspelling without the second zero.
  package mutating func add(exif bytes: Span<UInt8>) {
    guard exif == nil, bytes.count > 0 else { return }
    let start = bytes.hasBytes("Exif\0", at: 0) ? min(6, bytes.count) : 0
    exif = copy(bytes.extracting(start..<bytes.count), name: "EXIF data")
    resolution = resolution ?? EXIFMetadata.resolution(in: bytes)
  }

  /// Takes a copy of an XMP packet, unless there is one already.
  package mutating func add(xmp bytes: Span<UInt8>) {
    guard xmp == nil, bytes.count > 0 else { return }
    xmp = copy(bytes, name: "XMP")
  }

  /// Takes the profile that a header names, unless it is too large.
  package mutating func add(profileOf header: ImageHeader) {
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
