import Foundation
import Ozu

/// A picture that needs no file: a gradient with one of eight tints.
///
/// ```swift
/// let pattern = PatternPicture(PixelSize(width: 640, height: 480), tint: 3)
/// client.reply(to: url, with: .ok(try pattern.data(as: .jpeg)))
/// #expect(pattern.resembles(picture.bitmap))
/// ```
public struct PatternPicture: Sendable {
  /// The pixels.
  public let bitmap: Bitmap
  private let tint: Int

  /// Makes a pattern. Red grows to the right and green downwards; blue is the tint times 36.
  ///
  /// - Parameters:
  ///   - tint: 0 to 7.
  ///   - isOpaque: when `false`, the left half is half transparent.
  public init(_ size: PixelSize, tint: Int = 0, isOpaque: Bool = true) {
    precondition((0...7).contains(tint), "there are eight tints")
    self.tint = tint
    bitmap = Bitmap(size: size, isOpaque: isOpaque) { x, y in
      let isVeiled = !isOpaque && x * 2 < size.width
      func part(_ value: Int) -> UInt8 { UInt8(isVeiled ? value / 2 : value) }
      return Pixel(
        red: part(x * 255 / max(1, size.width - 1)), green: part(y * 255 / max(1, size.height - 1)),
        blue: part(tint * 36), alpha: isVeiled ? 128 : 255)
    }
  }

  /// The pattern as a file.
  ///
  /// - Throws: `ImageEncodingError`, for a format that no encoder writes.
  public func data(as type: ImageType) throws(ImageEncodingError) -> Data {
    try ImagePipeline.Configuration().decoding.codecs.encode(
      bitmap, as: type, options: EncodingOptions(compressionQuality: 0.95))
  }

  /// Whether a bitmap of any size shows this pattern. Compares pixels at the middle and near the corners.
  ///
  /// - Parameter tolerance: the largest difference of a colour that still passes.
  public func resembles(_ other: Bitmap, tolerance: Int = 14) -> Bool {
    let steps = [0.1, 0.5, 0.9]
    return steps.allSatisfy { vertical in
      steps.allSatisfy { horizontal in
        let own = Self.pixel(of: bitmap, horizontal, vertical)
        let its = Self.pixel(of: other, horizontal, vertical)
        return abs(Int(own.red) - Int(its.red)) <= tolerance
          && abs(Int(own.green) - Int(its.green)) <= tolerance
          && abs(Int(own.blue) - Int(its.blue)) <= tolerance
          && abs(Int(own.alpha) - Int(its.alpha)) <= tolerance
      }
    }
  }

  private static func pixel(of bitmap: Bitmap, _ horizontal: Double, _ vertical: Double) -> Pixel {
    bitmap[Int(Double(bitmap.size.width) * horizontal), Int(Double(bitmap.size.height) * vertical)]
  }
}

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
