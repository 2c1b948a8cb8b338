#if canImport(Glibc)
  import Glibc
#else
  import Foundation
#endif

/// Makes edges stronger: adds the difference between the picture and its blur (unsharp mask).
public struct Sharpen: ImageProcessing, Hashable {
  /// How much of the difference is added; 0.5 is gentle, 2 is hard.
  public let amount: Double
  /// The standard deviation of the blur, in pixels.
  public let radius: Double

  /// Makes the step.
  public init(amount: Double = 0.5, radius: Double = 1) {
    self.amount = amount
    self.radius = radius
  }

  /// The kind of step with all its parameters.
  public var identifier: String { "sharpen(\(amount),\(radius))" }

  /// Sharpens. Opacity stays as it is.
  ///
  /// - Throws: `invalidParameters` for an amount outside 0...10 or a radius the blur refuses.
  public func process(_ bitmap: Bitmap, context: ProcessingContext) throws(ProcessingError) -> Bitmap {
    guard amount.isFinite, (0...10).contains(amount) else {
      throw .invalidParameters(identifier, reason: "the amount must be from 0 to 10")
    }
    let blurred = try GaussianBlur(radius: radius).process(bitmap, context: context)
    let weight = Int32((amount * 256).rounded())
    return blurred.withRows { blurredRow in
      bitmap.withRows { row in
        Bitmap(
          size: bitmap.size, isOpaque: bitmap.isOpaque, colorSpace: bitmap.colorSpace, pool: context.pool
        ) { y, target in
          let sharp = row(y)
          let soft = blurredRow(y)
          for x in 0..<sharp.count {
            let limit = sharp[x].alpha
            target[x] = Pixel(
              red: Self.part(sharp[x].red, soft[x].red, weight, limit),
              green: Self.part(sharp[x].green, soft[x].green, weight, limit),
              blue: Self.part(sharp[x].blue, soft[x].blue, weight, limit), alpha: limit)
          }
        }
      }
    }
  }

  /// A premultiplied value may not pass its alpha.
  @inline(__always)
  private static func part(_ sharp: UInt8, _ soft: UInt8, _ weight: Int32, _ limit: UInt8) -> UInt8 {
    let difference = (Int32(sharp) &- Int32(soft)) &* weight
    return UInt8(truncatingIfNeeded: min(max(Int32(sharp) &+ (difference &+ 128) >> 8, 0), Int32(limit)))
  }
}

extension ImageProcessing where Self == Sharpen {
  /// Makes edges stronger.
  public static func sharpen(amount: Double = 0.5, radius: Double = 1) -> Self {
    Sharpen(amount: amount, radius: radius)
  }
}
