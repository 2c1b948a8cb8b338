/// The byte order of EXIF data, and reading integers in this order.
enum EXIFByteOrder: Sendable {
  case littleEndian, bigEndian

  init?(_ bytes: Span<UInt8>, tiff: Int) {
    if bytes.hasBytes("II", at: tiff) {
      self = .littleEndian
    } else if bytes.hasBytes("MM", at: tiff) {
      self = .bigEndian
    } else {
      return nil
    }
  }

  func integer(_ bytes: Span<UInt8>, at offset: Int, byteCount: Int) -> Int? {
    switch self {
    case .littleEndian: bytes.littleEndian(at: offset, bytes: byteCount)
    case .bigEndian: bytes.bigEndian(at: offset, bytes: byteCount)
    }
  }

  /// The first value of an entry, if it is an integer that is stored in the entry itself. Some writers use another
  /// type than SHORT.
  func value(_ bytes: Span<UInt8>, entry: Int) -> Int? {
    let byteCounts = [1: 1, 3: 2, 4: 4]
    guard let type = integer(bytes, at: entry + 2, byteCount: 2), let byteCount = byteCounts[type],
      // All twelve bytes of the entry must be there.
      integer(bytes, at: entry + 8, byteCount: 4) != nil
    else { return nil }
    return integer(bytes, at: entry + 8, byteCount: byteCount)
  }
}
