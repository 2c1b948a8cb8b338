import OzuBase
import OzuImaging

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
