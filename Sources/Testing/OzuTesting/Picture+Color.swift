import Foundation
import Ozu

extension Picture {
  /// A picture of one colour.
  ///
  /// ```swift
  /// client.reply(to: url, with: .ok(try Picture.color(.white, PixelSize(width: 64, height: 64)).data(as: .png)))
  /// ```
  public static func color(_ color: ColorValue, _ size: PixelSize = PixelSize(width: 16, height: 16))
    -> Picture
  {
    func part(_ value: UInt8) -> UInt8 { UInt8((Int(value) * Int(color.alpha) + 127) / 255) }
    let pixel = Pixel(
      red: part(color.red), green: part(color.green), blue: part(color.blue), alpha: color.alpha)
    return Picture(Bitmap(size: size, isOpaque: color.alpha == 255) { _, _ in pixel })
  }

  /// The picture as a file.
  ///
  /// - Throws: `ImageEncodingError`, for a format that no encoder writes.
  public func data(as type: ImageType) throws(ImageEncodingError) -> Data {
    try ImagePipeline.Configuration().decoding.codecs.encode(
      bitmap, as: type, options: EncodingOptions(compressionQuality: 0.95))
  }

  /// Whether all pixels have one colour.
  ///
  /// - Parameter tolerance: the largest difference that still passes, of premultiplied values: lossy formats and
  ///   filters change a little.
  /// - Complexity: O(pixels).
  public func isColor(_ color: ColorValue, tolerance: Int = 4) -> Bool {
    let wanted = Picture.color(color, PixelSize(1, 1)).bitmap[0, 0]
    func isClose(_ a: UInt8, _ b: UInt8) -> Bool { abs(Int(a) - Int(b)) <= tolerance }
    return (0..<size.height).allSatisfy { y in
      (0..<size.width).allSatisfy { x in
        let pixel = bitmap[x, y]
        return isClose(pixel.red, wanted.red) && isClose(pixel.green, wanted.green)
          && isClose(pixel.blue, wanted.blue) && isClose(pixel.alpha, wanted.alpha)
      }
    }
  }
}
