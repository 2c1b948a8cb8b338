import OzuBase

/// Strengthens edges: adds the difference between the picture and its blur (unsharp mask).
public struct Sharpen: ImageProcessing, Hashable {
  /// The factor of the difference; 0.5 is gentle, 2 is strong.
  public let amount: Double
  /// The standard deviation of the blur, in pixels.
  public let radius: Double

  /// Makes the processor.
  public init(amount: Double = 0.5, radius: Double = 1) {
    self.amount = amount
    self.radius = radius
  }

  /// The kind of processor with all its parameters.
  public var identifier: String { "sharpen(\(amount),\(radius))" }

  /// Sharpens the picture. Opacity is not changed.
  ///
  /// - Throws: `invalidParameters` for an amount outside 0...10 or a radius that `GaussianBlur` refuses.
  public func process(
    _ bitmap: BGRABitmap, context: ProcessingContext
  ) throws(ProcessingError) -> BGRABitmap {
    guard amount.isFinite, (0...10).contains(amount) else {
      throw .invalidParameters(identifier, reason: "the amount must be from 0 to 10")
    }
    let blurred = try GaussianBlur(radius: radius).process(bitmap, context: context)
    let weight = Int16((amount * 256).rounded()) << 2
    return blurred.withPixels { soft, softRows in
      bitmap.withPixels { sharp, sharpRows in
        BGRABitmap.making(
          size: bitmap.size, isOpaque: bitmap.isOpaque, colorSpace: bitmap.colorSpace, pool: context.pool
        ) { y, target in
          let sharp = sharp.extracting(sharpRows[y])
          let soft = soft.extracting(softRows[y])
          withUnsafePointer(to: weight) { Self.sharpen(sharp, soft, $0, to: target) }
        }
      }
    }
  }

  /// Sharpens a row, two pixels at a time; an odd last pixel is paired with itself. A separate function for the
  /// same reason as the loops of `BoxMean`.
  @inline(never)
  private static func sharpen(
    _ sharp: Span<Pixel>, _ soft: Span<Pixel>, _ weight: UnsafePointer<Int16>,
    to target: UnsafeMutableBufferPointer<Pixel>
  ) {
    // Checked here once for the row: both indices are below this count.
    precondition(sharp.count == target.count && soft.count == target.count, "rows of one width")
    for x in stride(from: 0, to: sharp.count, by: 2) {
      let next = min(x &+ 1, sharp.count &- 1)
      let pixels = sharpened(
        SIMD8<Int16>(truncatingIfNeeded: SIMD8<UInt8>(sharp[unchecked: x], sharp[unchecked: next])),
        SIMD8<Int16>(truncatingIfNeeded: SIMD8<UInt8>(soft[unchecked: x], soft[unchecked: next])), weight
      ).pixels
      target[next] = pixels.1
      target[x] = pixels.0
    }
  }

  /// `sharp + (sharp - soft) * weight / 256`, rounded. Premultiplied values are limited to alpha, and alpha does
  /// not change.
  ///
  /// The product is the upper half of a 32-bit product, in the form of a single instruction: the differences have 9
  /// bits and are shifted by 7, the weights go up to 2,560 and are shifted by 2. The last bit of the result is for
  /// rounding. The weight is read from memory each time, for the reason given in `BoxMean`.
  @inline(__always)
  private static func sharpened(
    _ sharp: SIMD8<Int16>, _ soft: SIMD8<Int16>, _ weight: UnsafePointer<Int16>
  ) -> SIMD8<UInt8> {
    let colors = SIMD8<Int16>(-1, -1, -1, 0, -1, -1, -1, 0)
    let difference = ((sharp &- soft) & colors) &<< SIMD8(repeating: 7)
    let factor = SIMD8<Int32>(truncatingIfNeeded: SIMD8<Int16>(repeating: weight.pointee))
    let product = SIMD8<Int32>(truncatingIfNeeded: difference) &* factor
    let twice = SIMD8<Int16>(truncatingIfNeeded: product &>> SIMD8(repeating: 16))
    let value = sharp &+ (twice &+ SIMD8(repeating: 1)) &>> SIMD8(repeating: 1)
    let a = sharp[3]
    let b = sharp[7]
    let limit = SIMD8<Int16>(a, a, a, a, b, b, b, b)
    return SIMD8<UInt8>(truncatingIfNeeded: pointwiseMax(pointwiseMin(value, limit), .zero))
  }
}

extension ImageProcessing where Self == Sharpen {
  /// Strengthens edges.
  public static func sharpen(amount: Double = 0.5, radius: Double = 1) -> Self {
    Sharpen(amount: amount, radius: radius)
  }
}
