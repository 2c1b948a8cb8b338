/// The byte order of EXIF data, and reading integers in this order.
enum EXIFByteOrder: Sendable {
  case littleEndian, bigEndian

  func integer(_ bytes: Span<UInt8>, at offset: Int, byteCount: Int) -> Int? {
    switch self {
    case .littleEndian: bytes.littleEndian(at: offset, bytes: byteCount)
    case .bigEndian: bytes.bigEndian(at: offset, bytes: byteCount)
    }
  }
}
