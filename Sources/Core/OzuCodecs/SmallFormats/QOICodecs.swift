import OzuBase
import OzuImaging

/// Decodes QOI, the Quite OK Image Format (specification 1.0), in Swift.
public struct QOIDecoder: SampleDecoding {
  /// Makes a decoder.
  public init() {}

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

/// Writes QOI (specification 1.0), in Swift: with alpha if any pixel is transparent. 16 bits are rounded to 8.
public struct QOIEncoder: ImageEncoding {
  /// Makes an encoder.
  public init() {}

  /// QOI.
  public var type: ImageType { .qoi }

  /// Always true.
  public var keepsAlpha: Bool { true }

  /// Always false.
  public var hasQuality: Bool { false }

  /// Encodes a bitmap without loss, except for the rounding of premultiplied colours. The options are ignored.
  ///
  /// - Throws: `tooLarge` above 4,294,967,295 pixels a side.
  public func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(ImageEncodingError) -> Data {
    guard let width = UInt32(exactly: bitmap.size.width), let height = UInt32(exactly: bitmap.size.height)
    else { throw .tooLarge(.qoi, bitmap.size) }
    let rows = StraightRows(bitmap.converted(to: .bgra8))
    var writer = Writer()
    writer.bytes = Array("qoif".utf8)
    writer.bytes += width.bigEndianBytes(4) + height.bigEndianBytes(4) + [rows.hasAlpha ? 4 : 3, 0]
    rows.forEach { writer.append(SIMD4(truncatingIfNeeded: $0)) }
    writer.endRun()
    return Data(writer.bytes + QOI.end)
  }

  private struct Writer {
    var bytes: [UInt8] = []
    private var previous = QOI.firstPixel
    private var seen = [SIMD4<UInt8>](repeating: .zero, count: 64)
    private var runLength: UInt8 = 0

    mutating func append(_ pixel: SIMD4<UInt8>) {
      if pixel == previous {
        runLength += 1
        if runLength == 62 { endRun() }
        return
      }
      endRun()
      let index = QOI.index(pixel)
      if seen[index] == pixel {
        bytes.append(UInt8(index))
      } else {
        seen[index] = pixel
        appendChange(to: pixel)
      }
      previous = pixel
    }

    mutating func endRun() {
      if runLength > 0 { bytes.append(0xC0 | (runLength - 1)) }
      runLength = 0
    }

    private mutating func appendChange(to pixel: SIMD4<UInt8>) {
      guard pixel.w == previous.w else {
        bytes += [0xFF, pixel.x, pixel.y, pixel.z, pixel.w]
        return
      }
      let change = pixel &- previous
      let (red, green, blue) = (change.x &+ 2, change.y &+ 2, change.z &+ 2)
      let (redBeside, blueBeside) = (change.x &- change.y &+ 8, change.z &- change.y &+ 8)
      if red < 4, green < 4, blue < 4 {
        bytes.append(0x40 | red << 4 | green << 2 | blue)
      } else if change.y &+ 32 < 64, redBeside < 16, blueBeside < 16 {
        bytes += [0x80 | (change.y &+ 32), redBeside << 4 | blueBeside]
      } else {
        bytes += [0xFE, pixel.x, pixel.y, pixel.z]
      }
    }
  }
}
