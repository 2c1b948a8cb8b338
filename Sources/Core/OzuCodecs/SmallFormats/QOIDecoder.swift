import OzuBase
import OzuImaging

/// Decodes QOI, the Quite OK Image Format (specification 1.0), in Swift.
public struct QOIDecoder: SampleDecoding {
  let alpha: Alpha

  /// Makes a decoder.
  public init() { alpha = .premultiplied }

  package init(alpha: Alpha) { self.alpha = alpha }

  /// QOI.
  public var types: [ImageType] { [.qoi] }

  func contents(_ bytes: Span<UInt8>) throws(ImageDecodingError) -> SampleContents {
    guard let width = bytes.bigEndian(at: 4, bytes: 4), let height = bytes.bigEndian(at: 8, bytes: 4),
      let channelCount = bytes.byte(at: 12), bytes.count >= QOI.headerByteCount
    else { throw .truncated(.qoi, stage: "header") }
    guard width > 0, height > 0, 3...4 ~= channelCount else {
      throw .corrupt(.qoi, stage: "header", reason: "\(width)x\(height) pixels of \(channelCount) channels")
    }
    let header = ImageHeader(
      type: .qoi, storedSize: PixelSize(width, height), hasAlpha: channelCount == 4)
    return SampleContents(header: header, rows: QOIRows(isOpaque: channelCount == 3))
  }
}

/// The rules that the decoder and the encoder share.
enum QOI {
  static let headerByteCount = 14
  static let end: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1]
  static let firstPixel = SIMD4<UInt8>(0, 0, 0, 255)

  /// The place of a pixel in the table of those that were seen.
  static func index(_ pixel: SIMD4<UInt8>) -> Int {
    (Int(pixel.x) * 3 + Int(pixel.y) * 5 + Int(pixel.z) * 7 + Int(pixel.w) * 11) % 64
  }
}

/// Reads the pixels, which depend on those before them.
private struct QOIRows: SampleRowReading {
  let isOpaque: Bool
  private var position = QOI.headerByteCount
  private var pixel = QOI.firstPixel
  private var seen = [SIMD4<UInt8>](repeating: .zero, count: 64)
  private var runLength = 0

  init(isOpaque: Bool) { self.isOpaque = isOpaque }

  mutating func readRow(_ bytes: Span<UInt8>, into row: inout [SIMD4<UInt16>]) throws(ImageDecodingError)
    -> Bool
  {
    for x in row.indices {
      if runLength > 0 {
        runLength -= 1
      } else {
        guard readPixel(bytes) else { return false }
      }
      row[x] = SIMD4(red: pixel.x, green: pixel.y, blue: pixel.z, alpha: isOpaque ? 255 : pixel.w)
    }
    return true
  }

  /// Reads one code; `false` if the file ends before it does.
  private mutating func readPixel(_ bytes: Span<UInt8>) -> Bool {
    guard let code = bytes.byte(at: position) else { return false }
    let byteCount = code == 0xFF ? 5 : code == 0xFE ? 4 : code >> 6 == 2 ? 2 : 1
    guard byteCount <= bytes.count - position else { return false }
    func byte(_ offset: Int) -> UInt8 { bytes[position + offset] }
    switch code {
    case 0xFE: pixel = SIMD4(byte(1), byte(2), byte(3), pixel.w)
    case 0xFF: pixel = SIMD4(byte(1), byte(2), byte(3), byte(4))
    case 0xC0...: runLength = Int(code & 0x3F)
    case 0x80...:
      let green = code & 0x3F &- 32
      let others = byte(1)
      pixel = pixel &+ SIMD4(green &- 8 &+ others >> 4, green, green &- 8 &+ others & 15, 0)
    case 0x40...: pixel = pixel &+ SIMD4(code >> 4 & 3 &- 2, code >> 2 & 3 &- 2, code & 3 &- 2, 0)
    default: pixel = seen[Int(code)]
    }
    position += byteCount
    seen[QOI.index(pixel)] = pixel
    return true
  }
}
