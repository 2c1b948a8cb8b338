import OzuBase

/// The markers of a JPEG (ITU-T T.81 Table B.1) and the ways to find the next one.
enum JPEGMarker {
  static let startOfImage: UInt8 = 0xD8
  static let endOfImage: UInt8 = 0xD9
  static let startOfScan: UInt8 = 0xDA
  static let quantization: UInt8 = 0xDB
  static let huffman: UInt8 = 0xC4
  static let restartInterval: UInt8 = 0xDD

  /// A segment with its marker and its length. It has at most 65,533 bytes of content.
  static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
    [0xFF, marker] + (content.count + 2).bigEndianBytes(2) + content
  }

  /// Whether the marker has no length and no data.
  static func standsAlone(_ marker: UInt8) -> Bool {
    marker == 0x01 || 0xD0...0xD8 ~= marker
  }

  /// Whether the marker begins a frame header: C0 to CF, except for the tables (C4, CC) and an extension (C8), and that
  /// of JPEG-LS (F7; ITU-T T.87).
  static func isFrameHeader(_ marker: UInt8) -> Bool {
    marker == 0xF7 || 0xC0...0xCF ~= marker && ![0xC4, 0xC8, 0xCC].contains(marker)
  }

  static func process(ofFrame marker: UInt8) -> JPEGHeader.Process {
    switch marker {
    case 0xC0, 0xC1, 0xC9: .sequential
    case 0xC2, 0xCA: .progressive
    case 0xF7: .other("it is JPEG-LS (SOF55)")
    case 0xC3, 0xCB: .other("it is coded without loss (SOF\(marker - 0xC0))")
    default: .other("it is coded in a hierarchy of frames (SOF\(marker - 0xC0))")
    }
  }

  /// The next marker and the offset of its 0xFF. Steps over bytes between segments, as libjpeg does.
  static func next(in bytes: Span<UInt8>, from start: Int) -> (marker: UInt8, offset: Int)? {
    // memchr reads `count - position - 1` bytes from `position`, which is inside the buffer because of the loop's condition.
    bytes.withUnsafeBytes { buffer in
      guard let base = buffer.baseAddress else { return nil }
      var position = start
      while position + 1 < buffer.count {
        guard let found = memchr(base + position, 0xFF, buffer.count - position - 1) else { return nil }
        position = UnsafeRawPointer(found) - base
        let code = buffer[position + 1]
        if code != 0, code != 0xFF { return (code, position) }
        position += code == 0xFF ? 1 : 2
      }
      return nil
    }
  }

  /// Calls a closure with each segment between the start of a picture and its first scan, and the place of its content,
  /// until it returns false.
  ///
  /// - Returns: whether the first scan or the end of the picture was reached.
  static func readHead(
    of picture: Span<UInt8>, _ body: (_ marker: UInt8, _ segment: Span<UInt8>, _ place: Int) -> Bool
  ) -> Bool {
    guard picture.byte(at: 0) == 0xFF, picture.byte(at: 1) == startOfImage else { return false }
    var position = 2
    while let (marker, offset) = next(in: picture, from: position) {
      position = offset + 2
      if standsAlone(marker) { continue }
      if marker == startOfScan || marker == endOfImage { return true }
      guard let declared = picture.bigEndian(at: position, bytes: 2) else { return false }
      // Decoders step over the length also where it does not count itself.
      let (place, end) = (position + 2, position + max(2, declared))
      guard end <= picture.count, body(marker, picture.extracting(place..<end), place) else { return false }
      position = end
    }
    return false
  }

  /// The next marker that ends the data of a scan. Restart markers are part of the data.
  static func nextAfterScanData(in bytes: Span<UInt8>, from start: Int) -> (marker: UInt8, offset: Int)? {
    var position = start
    while let found = next(in: bytes, from: position) {
      guard 0xD0...0xD7 ~= found.marker else { return found }
      position = found.offset + 2
    }
    return nil
  }
}
