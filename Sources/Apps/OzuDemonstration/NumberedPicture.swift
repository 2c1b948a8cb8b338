import Foundation
import Ozu

/// A generated picture with a number that a program can read from any rendering of it: a thumbnail, a screenshot, a
/// cropped cell.
///
/// ```swift
/// server.routeRest { request in .ok(try! NumberedPicture(index(of: request)).data()) }
/// #expect(NumberedPicture.number(in: screenshot, region: cell) == 42)
/// ```
///
/// The number is in the middle as four by four fields, light for 1 and dark for 0, from the top left: fourteen bits of the
/// number plus one, then two check bits that count the others. The fields take six tenths of the shorter side, so that
/// every scale mode keeps them. Around them is a gradient that differs for each number.
public struct NumberedPicture: Sendable {
  /// The numbers that a picture can have.
  public static let numbers = 0..<16_383

  /// The number.
  public let number: Int
  /// The size in pixels.
  public let size: PixelSize

  private static let fieldsPerSide = 4
  private static let share = 0.6
  /// A table of cosines for the colours. Computing a cosine for each component of each pixel would take most of the time.
  private static let wave = (0..<1024).map { (step: Int) -> UInt8 in
    let angle = 2 * Double.pi * Double(step) / 1024
    return UInt8(128 + 90 * cos(angle))
  }

  /// Makes a picture.
  ///
  /// - Parameters:
  ///   - number: one of `numbers`.
  ///   - size: the size in pixels; by default 480 × 360, 360 × 480 or a square, depending on the number.
  public init(_ number: Int, size: PixelSize? = nil) {
    precondition(Self.numbers.contains(number), "the number of a picture is in \(Self.numbers)")
    self.number = number
    self.size = size ?? [PixelSize(480, 360), PixelSize(360, 480), PixelSize(400, 400)][number % 3]
  }

  /// The pixels.
  public var bitmap: Bitmap {
    let (code, middle) = (Self.code(of: number), Self.middle(of: size))
    let hue = Double(number) * 0.618_033_988_75
    return Bitmap(size: size, isOpaque: true) { x, y in
      if let field = Self.field(x, y, middle) {
        let value: UInt8 = code >> (15 - field) & 1 == 1 ? 236 : 24
        return Pixel(red: value, green: value, blue: value, alpha: 255)
      }
      let (u, v) = (Double(x) / Double(size.width), Double(y) / Double(size.height))
      func part(_ phase: Double) -> UInt8 {
        Self.wave[Int((hue + phase + 0.25 * u + 0.15 * v) * Double(Self.wave.count)) & (Self.wave.count - 1)]
      }
      return Pixel(red: part(0), green: part(0.33), blue: part(0.67), alpha: 255)
    }
  }

  /// The picture as a file.
  ///
  /// - Throws: `ImageEncodingError`, for a format that no encoder writes.
  public func data(as type: ImageType = .jpeg) throws(ImageEncodingError) -> Data {
    try ImagePipeline.Configuration().decoding.codecs.encode(
      bitmap, as: type, options: EncodingOptions(compressionQuality: 0.85))
  }

  /// The number in a rendering; `nil` when the bitmap does not show such a picture.
  ///
  /// - Parameter region: where in the bitmap the picture was drawn, centred and whole or cut off at two sides; the
  ///   whole bitmap by default.
  public static func number(in bitmap: Bitmap, region: PixelRectangle? = nil) -> Int? {
    let region = region ?? PixelRectangle(bitmap.size)
    let middle = middle(of: region.size)
    var code = 0
    for field in 0..<(fieldsPerSide * fieldsPerSide) {
      let (column, row) = (field % fieldsPerSide, field / fieldsPerSide)
      let x = region.x + middle.x + Int((Double(column) + 0.5) * middle.side / Double(fieldsPerSide))
      let y = region.y + middle.y + Int((Double(row) + 0.5) * middle.side / Double(fieldsPerSide))
      guard (0..<bitmap.size.width).contains(x), (0..<bitmap.size.height).contains(y) else { return nil }
      let pixel = bitmap[x, y]
      let light = (Int(pixel.red) + Int(pixel.green) + Int(pixel.blue)) / 3
      // A field that is neither light nor dark means another content, such as a placeholder or a running fade.
      guard light > 190 || light < 70 else { return nil }
      code = code << 1 | (light > 190 ? 1 : 0)
    }
    let number = (code >> 2) - 1
    return numbers.contains(number) && Self.code(of: number) == code ? number : nil
  }

  private static func code(of number: Int) -> Int {
    let bits = number + 1
    return bits << 2 | bits.nonzeroBitCount & 3
  }

  private static func middle(of size: PixelSize) -> (x: Int, y: Int, side: Double) {
    let side = Double(min(size.width, size.height)) * share
    return (Int((Double(size.width) - side) / 2), Int((Double(size.height) - side) / 2), side)
  }

  private static func field(_ x: Int, _ y: Int, _ middle: (x: Int, y: Int, side: Double)) -> Int? {
    let width = middle.side / Double(fieldsPerSide)
    let (column, row) = (Double(x - middle.x) / width, Double(y - middle.y) / width)
    guard (0..<Double(fieldsPerSide)).contains(column), (0..<Double(fieldsPerSide)).contains(row) else {
      return nil
    }
    return Int(row) * fieldsPerSide + Int(column)
  }
}
