import OzuBase
import OzuImaging

/// The facts about a JPEG that decoders need, from one walk over its markers.
package struct JPEGOutline: Sendable {
  package let details: JPEGHeader
  package let header: ImageHeader
  /// The geometry for the reduced decoder; `nil` for a file that it does not support.
  package let frame: ReducedJPEGFrame?
  /// The end of the bytes that can be decoded. It is before the end of the file if that cuts off a segment between scans.
  package let end: Int
  private let scanCount: Int

  /// Reads the marker segments up to the first scan, and counts the scans if there are several.
  ///
  /// - Throws: `corrupt`, `truncated`; `limitExceeded` for the number of scans, or for the pixels that all scans together decode.
  /// - Complexity: O(header); O(bytes) for a file of several scans.
  package init(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) {
    let bytes = data.span
    let details = try JPEGHeader(bytes)
    var end = bytes.count
    var scanCount = 1
    if details.hasSeveralScans {
      let scans = details.scans(in: bytes, limit: limits.scanCount)
      try limits.checkScanCount(scans.count, size: details.size)
      (end, scanCount) = (scans.end, scans.count)
    }
    self.scanCount = scanCount
    self.details = details
    self.end = end
    frame = ReducedJPEGFrame(details)
    let colorModels: [Int: ImageHeader.ColorModel] = [1: .gray, 4: .cmyk]
    var header = ImageHeader(
      type: .jpeg, storedSize: details.size, orientation: details.orientation ?? .up,
      bitsPerComponent: details.bitsPerComponent, colorModel: colorModels[details.components.count] ?? .rgb,
      isProgressive: details.isProgressive, planeLayout: frame?.planeLayout)
    header.add(details.profile)
    header.add(statedDotsPerInch: details.dotsPerInch)
    header.metadata = details.metadata
    if let reason = details.unsupportedReason { header.noteUnread(reason) }
    if details.hasIncompleteProfile {
      header.notes.append("\(PictureNotes.withoutProfile)pieces of it are missing or doubled")
    }
    if let index = details.pictureIndex {
      header.gainMap = JPEGGainMap.find(in: bytes, index: index)
      header.missingBytes = JPEGGainMap.missingHead(in: bytes, index: index)
    }
    if let flaw = header.gainMap?.flaw(for: details.size) {
      header.notes.append("its gain map cannot be used: \(flaw)")
      header.gainMap = nil
    } else if details.announcesGainMap, header.gainMap == nil {
      header.notes.append("it announces a gain map and has none")
    }
    if let note = JPEGRemainder(bytes, details, gainMap: header.gainMap).contents.note {
      header.notes.append(note)
    }
    self.header = header
  }

  /// Checks the pixels that all scans together decode, before any is decoded. They were not checked for a picture that is
  /// over the limit on pixels.
  ///
  /// - Throws: `limitExceeded`.
  package func checkScans(_ limits: DecodingLimits) throws(ImageDecodingError) {
    if scanCount > 1 { try limits.checkScannedPixelCount(scanCount, size: details.size) }
  }

  /// The bytes that a full decoder keeps for the coefficients: those of the whole picture if there are several scans, else 0.
  package var coefficientByteCount: Int { details.hasSeveralScans ? details.coefficientByteCount : 0 }

  /// The most bytes that libjpeg may take. Besides the coefficients it needs some rows of blocks, and tables.
  package var libraryByteCount: Int { coefficientByteCount + (32 << 20) }
}

/// The other things that telephones and cameras put into a JPEG, behind its picture: the video of a motion photo, the second view of a
/// stereo camera (MPO), depth, mattes, sound. None of it is shown.
///
/// It is found by the tables that name it: the index of CIPA DC-007, the XMP of the picture, and the directory that Samsung
/// writes at the end of its files. The picture is not read for it, and each table is read up to a number of entries.
struct JPEGRemainder {
  private(set) var contents = OtherContents()

  private static let mostEntries = 64
  /// The most lengths of attached files that are examined.
  private static let mostLengths = 8

  /// - Parameter gainMap: the map that was found, which is no other content.
  init(_ file: Span<UInt8>, _ details: JPEGHeader, gainMap: GainMap?) {
    if let index = details.pictureIndex { addPictures(file, index: index, gainMap) }
    if let range = details.xmp { addAnnounced(file.extracting(range), file) }
    addTrailer(file)
  }

  // MARK: The index

  private mutating func addPictures(_ file: Span<UInt8>, index: Int, _ gainMap: GainMap?) {
    for picture in JPEGGainMap.pictures(file, index: index) where picture.bytes != gainMap?.bytes {
      // A preview of a picture is no other content.
      if picture.kind >> 16 == 1 { continue }
      if let view = Self.views[picture.kind] {
        contents.add(view)
        continue
      }
      guard let purpose = Self.purpose(of: file.extracting(picture.bytes)) else {
        contents.pictureCount += 1
        continue
      }
      contents.add(purpose: purpose)
      if purpose.contains("gainmap") { contents.add("a gain map") }
    }
  }

  /// The pictures that were taken together with the one that is shown.
  private static let views = [
    0x02_0001: "parts of a panorama", 0x02_0002: "a second view for stereo",
    0x02_0003: "views from other sides",
  ]

  /// The purpose of a picture, in its own XMP, as Apple writes it; `nil` for one that is for itself, and without words for a
  /// gain map of a standard.
  private static func purpose(of picture: Span<UInt8>) -> String? {
    var purpose: String?
    _ = JPEGMarker.readHead(of: picture) { marker, segment, _ in
      // The type of a portrait matte is that of depth, and its subtype says what it is.
      if marker == 0xE1,
        let place = segment.find("AuxiliaryImageSubType", from: 0)
          ?? segment.find("AuxiliaryImageType", from: 0)
      {
        let count = min(128, segment.count - place)
        purpose = String(decoding: segment.copy(from: place, byteCount: count), as: UTF8.self).lowercased()
      } else if JPEGGainMap.isOne(segment, marker: marker) {
        // A gain map, about which the header has its own note if it cannot be used.
        purpose = ""
      }
      return purpose == nil
    }
    return purpose
  }

  // MARK: XMP

  /// Adds what the XMP of Android announces. A video counts only if it is there: programs that copy pictures lose it.
  private mutating func addAnnounced(_ packet: Span<UInt8>, _ file: Span<UInt8>) {
    // All its namespaces begin with this; those of the Dynamic Depth Format go on with "dd/".
    let namespaces: StaticString = "http://ns.google.com/photos/"
    guard let start = packet.find(namespaces, from: 0) else { return }
    if packet.find("1.0/depthmap/", from: start) != nil { contents.add("depth") }
    if packet.find("1.0/audio/", from: start) != nil { contents.add("sound") }
    if packet.find("1.0/image/", from: start) != nil { contents.pictureCount += 1 }
    let lengths = Self.numbers(packet, ":MicroVideoOffset") + Self.numbers(packet, ":Length")
    if lengths.contains(where: { $0 < file.count && file.hasBytes("ftyp", at: file.count - $0 + 4) }) {
      contents.add("a video")
    }
  }

  /// The positive numbers behind a name, as attributes or elements.
  private static func numbers(_ packet: Span<UInt8>, _ name: StaticString) -> [Int] {
    var found: [Int] = []
    var position = 0
    while found.count < mostLengths, let place = packet.find(name, from: position) {
      position = place + name.utf8CodeUnitCount
      let text = packet.copy(from: position, byteCount: min(24, packet.count - position))
      let digits = text.drop { !(UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0) && $0 != UInt8(ascii: "/") }
        .prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
      if let number = Int(String(decoding: digits, as: UTF8.self)), number > 0 { found.append(number) }
    }
    return found
  }

  // MARK: Samsung

  /// Adds what Samsung's directory at the end of the file lists: `SEFH`, a version, a count, entries of twelve bytes, the
  /// length of all that, and `SEFT`.
  private mutating func addTrailer(_ file: Span<UInt8>) {
    let end = file.count - 8
    guard end > 0, file.hasBytes("SEFT", at: end + 4), let length = file.littleEndian(at: end, bytes: 4),
      12 <= length, length <= end, file.hasBytes("SEFH", at: end - length),
      let count = file.littleEndian(at: end - length + 8, bytes: 4)
    else { return }
    for entry in 0..<min(count, Self.mostEntries, (length - 12) / 12) {
      guard let kind = file.littleEndian(at: end - length + 12 + 12 * entry + 2, bytes: 2) else { return }
      switch kind {
      case 0x0100: contents.add("sound")
      case 0x0A20: contents.pictureCount += 1
      case 0x0A30: contents.add("a video")
      case 0x0AB1, 0x0B41: contents.add("depth")
      default: break
      }
    }
  }
}
