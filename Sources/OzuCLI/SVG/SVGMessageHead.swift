import Ozu

/// What begins every message between `ozu` and the process that draws for it: 32 bytes, integers with the least
/// significant byte first. `byteCount` bytes follow.
struct SVGMessageHead: Equatable {
  enum Kind: UInt32 {
    /// To the process: say how large this document is.
    case readHeader = 1
    /// To the process: draw this document at the size.
    case draw
    /// From the process: the size of the document. Nothing follows.
    case header
    /// From the process: rows of BGRA at the size, without gaps.
    case pixels
    /// From the process: why not, as UTF-8.
    case failure
    /// From the process: what this system lacks, as UTF-8.
    case unsupported
  }

  static let byteCount = 32
  private static let magic: [UInt8] = Array("OZUSVG1\n".utf8)

  var kind: Kind
  var width: UInt32 = 0
  var height: UInt32 = 0
  var byteCount: UInt64 = 0

  init(_ kind: Kind, size: PixelSize = PixelSize(0, 0), byteCount: Int = 0) {
    self.kind = kind
    width = UInt32(clamping: size.width)
    height = UInt32(clamping: size.height)
    self.byteCount = UInt64(clamping: byteCount)
  }

  /// Reads a head; `nil` for bytes that are none.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count == Self.byteCount, bytes.starts(with: Self.magic) else { return nil }
    func integer(_ offset: Int) -> UInt32 {
      UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
    guard let kind = Kind(rawValue: integer(8)), integer(20) == 0 else { return nil }
    self.kind = kind
    width = integer(12)
    height = integer(16)
    byteCount = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self))
  }

  /// The head as it is sent.
  var bytes: [UInt8] {
    var bytes = Self.magic
    for integer in [kind.rawValue, width, height, 0] {
      withUnsafeBytes(of: integer.littleEndian) { bytes += $0 }
    }
    withUnsafeBytes(of: byteCount.littleEndian) { bytes += $0 }
    return bytes
  }

  var size: PixelSize { PixelSize(Int(width), Int(height)) }
}
