import OzuImaging
import Testing

/// Processors are public and may get any bitmap: the result must be that of its `bgra8` form.
@Suite("Processors and pixel formats")
struct ProcessorFormatTests {
  private static let mark = Bitmap.noise(size: PixelSize(13, 9), seed: 5, isOpaque: false)

  static let processors: [any ImageProcessing] =
    [
      Resize(PixelSize(20, 20)), Resize(PixelSize(90, 90), mode: .fill, allowsUpscaling: true),
      Resize(PixelSize(15, 15), light: .linear),
      .crop(.rectangle(PixelRectangle(x: 3, y: 5, width: 20, height: 30))),
      .crop(.rectangle(PixelRectangle(PixelSize(61, 47)))),
      .crop(.proportions(PixelSize(1, 2), .bottomRight)),
      .crop(.attention(PixelSize(1, 1))), .gaussianBlur(radius: 0), .gaussianBlur(radius: 2.5),
      .gaussianBlur(radius: 200), .sharpen(), .color(brightness: 0.1, contrast: 1.2, saturation: 0.5),
      .grayscale,
      .roundedCorners(radius: 9), .roundedCorners(radius: 0),
      .circle(border: .init(width: 3, color: ColorValue(red: 9, green: 99, blue: 199))),
      .tint(ColorValue(red: 200, green: 10, blue: 60, alpha: 90)),
      .tint(ColorValue(red: 200, green: 10, blue: 60), style: .template), .trim(), .trim(tolerance: 255),
      .pad(to: PixelSize(70, 60), anchor: .topLeft), .pad(to: PixelSize(1, 1)),
      Composition([.crop(.attention(PixelSize(2, 1))), .gaussianBlur(radius: 1), .trim()]),
    ] + Turn.allCases.map { $0 as any ImageProcessing }
    + PixelFormat.allCases.flatMap { format in
      [Watermark.BlendMode.normal, .multiply, .screen].map { mode in
        .watermark(
          mark.converted(to: format), key: "\(format)", at: .bottomRight, margin: 2, opacity: 0.7, mode: mode)
      }
    }

  @Test(
    "give the same result as for the converted bitmap", arguments: processors.indices, PixelFormat.allCases)
  func formats(index: Int, format: PixelFormat) throws {
    let processor = Self.processors[index]
    for isOpaque in [true, false] {
      let bitmap = Bitmap.noise(size: PixelSize(61, 47), seed: 3, isOpaque: isOpaque).converted(to: format)
      let result = try processor.process(bitmap, context: ProcessingContext())
      let expected = try processor.process(bitmap.converted(to: .bgra8), context: ProcessingContext())
      let narrow = result.converted(to: .bgra8)
      // A resize in 16 bits rounds once, the other one twice.
      let tolerance = format == .rgba16 && processor is Resize ? 2 : 0
      #expect(narrow.size == expected.size && narrow.isOpaque == expected.isOpaque)
      #expect(Self.largestDifference(narrow, expected) <= tolerance, "\(processor.identifier)")
      #expect(result.isOpaque == expected.isOpaque)
    }
  }

  private static func largestDifference(_ one: Bitmap, _ other: Bitmap) -> Int {
    var largest = 0
    for y in 0..<min(one.size.height, other.size.height) {
      for x in 0..<min(one.size.width, other.size.width) {
        let (a, b) = (one[x, y], other[x, y])
        for pair in [(a.red, b.red), (a.green, b.green), (a.blue, b.blue), (a.alpha, b.alpha)] {
          largest = max(largest, abs(Int(pair.0) - Int(pair.1)))
        }
      }
    }
    return largest
  }

  @Test("a mark gives the same in every format as converted", arguments: PixelFormat.allCases)
  func marks(format: PixelFormat) throws {
    let below = Bitmap.noise(size: PixelSize(64, 64))
    let mark = Bitmap.noise(size: PixelSize(64, 64), seed: 9).converted(to: format)
    let result = try Watermark(mark, key: "a").process(below, context: ProcessingContext())
    let expected = try Watermark(mark.converted(to: .bgra8), key: "b").process(
      below, context: ProcessingContext())
    #expect(result == expected)
    #expect(result == mark.converted(to: .bgra8))
  }
}
