import Testing

@testable import OzuImaging

@Suite("Properties of every processor")
struct ProcessorPropertyTests {
  static let all: [any ImageProcessing] = [
    .resize(PixelSize(9, 9)), .crop(.rectangle(PixelRectangle(x: 0, y: 0, width: 10, height: 8))),
    .crop(.proportions(PixelSize(1, 1), .bottomRight)), .crop(.attention(PixelSize(1, 1))),
    .pad(to: PixelSize(30, 30)), .pad(to: PixelSize(30, 30), color: .white, anchor: .topLeft), .trim(),
    .pixelate(blockSide: 4),
    .turn(.right), .turn(.mirror), .roundedCorners(radius: 5), .circle(),
    .circle(border: .init(width: 2, color: ColorValue(red: 200, green: 10, blue: 30, alpha: 180))),
    .gaussianBlur(radius: 0.8), .gaussianBlur(radius: 30), .sharpen(amount: 3), .color(brightness: 0.4),
    .color(brightness: -0.3, contrast: 2, saturation: 1.7), .grayscale,
    .tint(ColorValue(red: 250, green: 20, blue: 90, alpha: 130)), .tint(.black, style: .template),
    .watermark(veiled(PixelSize(7, 7)), key: "m", margin: 2, opacity: 0.7),
    .watermark(veiled(PixelSize(40, 40)), key: "large", at: .center, mode: .multiply),
    .watermark(veiled(PixelSize(7, 7)), key: "m", at: .topLeft, mode: .screen),
    .overlay(veiled(PixelSize(7, 7)), key: "m", Placement(x: 3, y: 2, rotation: 20, opacity: 0.8)),
    .overlay(
      veiled(PixelSize(7, 7)), key: "m", Placement(x: 0.5, blendMode: .softLight, tileGap: PixelSize(1, 0))),
    .overlay(veiled(PixelSize(7, 7)), key: "m", Placement(blendMode: .exclusion, light: .linear)),
    .redact(areas: [PixelRectangle(x: 2, y: 3, width: 9, height: 40)]),
    .redact(areas: [PixelRectangle(x: 0, y: 0, width: 9, height: 7)], style: .fill(.clear)),
    .redact(areas: [PixelRectangle(x: 2, y: 3, width: 9, height: 4)], style: .pixelate(blockSide: 3)),
    .pad(to: PixelSize(30, 20), blurredBy: 3), .rotate(degrees: 30), .rotate(degrees: -90),
    .rotate(degrees: 4, background: ColorValue(red: 200, green: 10, blue: 30)),
    Composition([.grayscale, .gaussianBlur(radius: 2)]), .custom("same") { $0 },
  ]

  /// A picture with all kinds of opacity and values that look random but never change.
  static func veiled(_ size: PixelSize) -> Bitmap {
    Bitmap(size: size, isOpaque: false) { x, y in
      func value(_ salt: Int) -> UInt8 { UInt8(truncatingIfNeeded: (x &* 31 &+ y &* 57 &+ salt) &* 97 >> 2) }
      let alpha = [0, 255, value(1), 128][(x + y) % 4]
      return Pixel(
        red: scaled(value(2), by: alpha), green: scaled(value(3), by: alpha),
        blue: scaled(value(4), by: alpha),
        alpha: alpha)
    }
  }

  private static func pixels(_ bitmap: Bitmap) -> [Pixel] {
    (0..<bitmap.size.height).flatMap { y in (0..<bitmap.size.width).map { bitmap[$0, y] } }
  }

  @Test(
    "no colour exceeds its alpha, a result that claims to be opaque is opaque, and the source does not change",
    arguments: 0..<all.count)
  func premultiplied(_ index: Int) throws {
    let processor = Self.all[index]
    for source in [
      Self.veiled(PixelSize(23, 17)), Self.veiled(PixelSize(1, 1)), Self.veiled(PixelSize(1, 9)),
    ] {
      let before = Self.pixels(source)
      let result = try processor.process(source, context: ProcessingContext())
      #expect(
        Self.pixels(result).allSatisfy { max($0.red, $0.green, $0.blue) <= $0.alpha },
        "\(processor.identifier)")
      #expect(Self.pixels(source) == before)
    }
    let opaque = Bitmap(size: PixelSize(23, 17)) { x, y in
      Pixel(red: UInt8(x * 11), green: UInt8(y * 15), blue: 90)
    }
    let result = try processor.process(opaque, context: ProcessingContext())
    #expect(!result.isOpaque || Self.pixels(result).allSatisfy { $0.alpha == 255 })
  }

  @Test("different steps have different identities, equal ones the same")
  func identifiers() {
    let identifiers = Self.all.map(\.identifier)
    #expect(Set(identifiers).count == identifiers.count)
    let blur = GaussianBlur(radius: 2)
    #expect(blur.identifier == GaussianBlur(radius: 2).identifier)
    #expect(
      CustomProcessor("a)>custom(1:b") { $0 }.identifier
        != Composition([.custom("a") { $0 }, .custom("b") { $0 }]).identifier)
  }

  @Test(
    "parameters that make no sense are refused",
    arguments: [
      .resize(PixelSize(0, 5)), .crop(.rectangle(PixelRectangle(x: 99, y: 0, width: 5, height: 5))),
      .crop(.rectangle(PixelRectangle(x: 0, y: 0, width: -3, height: 5))),
      .crop(.proportions(PixelSize(0, 1), .center)), .pad(to: PixelSize(1 << 40, 5)),
      .gaussianBlur(radius: -1),
      .gaussianBlur(radius: .nan), .sharpen(amount: .infinity), .color(brightness: 2),
      .roundedCorners(radius: -1),
      .circle(border: .init(width: .nan, color: .black)),
      .watermark(
        Bitmap(size: PixelSize(1, 1)) { _, _ in Pixel(red: 0, green: 0, blue: 0) }, key: "", opacity: 2),
      .rotate(degrees: .infinity), .pad(to: PixelSize(1 << 40, 5), blurredBy: 1),
      .pad(to: PixelSize(20, 5), blurredBy: -1),
      .redact(areas: [PixelRectangle(x: 0, y: 0, width: -1, height: 5)]),
      .redact(areas: [], style: .pixelate(blockSide: 1)),
      .custom("fails") { _ in throw ImageDecodingError.cancelled },
    ] as [any ImageProcessing])
  func refused(_ processor: any ImageProcessing) {
    #expect(throws: ProcessingError.self) {
      try processor.process(Self.veiled(PixelSize(8, 8)), context: ProcessingContext())
    }
  }
}
