/// Blurs the picture with an approximated Gaussian.
///
/// Three box filters one after the other are within 3 % of a Gaussian (Wells 1986; the widths are those of the SVG
/// and CSS filter specifications). A box filter slides along the row, so its cost does not depend on its radius. Three boxes
/// have only two deviations below two pixels: there, boxes of three pixels and a smaller blur make the exact one.
public struct GaussianBlur: ImageProcessing, Hashable {
  /// The standard deviation in pixels.
  public let radius: Double

  /// Makes the processor.
  public init(radius: Double) {
    self.radius = radius
  }

  /// The kind of processor with all its parameters.
  public var identifier: String { "blur(\(radius))" }

  /// Blurs the picture. Outside the picture, its border pixels are repeated.
  ///
  /// - Throws: `invalidParameters` for a radius that is negative, not finite or over 1,000.
  /// - Complexity: O(pixels), independent of the radius.
  public func process(
    _ bitmap: BGRABitmap, context: ProcessingContext
  ) throws(ProcessingError) -> BGRABitmap {
    guard radius.isFinite, radius >= 0, radius <= 1000 else {
      throw .invalidParameters(identifier, reason: "the radius must be from 0 to 1000 pixels")
    }
    guard radius < 2 else { return Self.blur(bitmap, by: BoxWindow.windows(deviation: radius), context) }
    // Variances add, and that of a box of three pixels is 2/3.
    let boxCount = Int(radius * radius * 1.5)
    let boxes = Array(repeating: BoxWindow(before: 1, after: 1), count: boxCount)
    let result = Self.blur(bitmap, by: boxes, context)
    let rest = radius * radius - Double(boxCount) * 2 / 3
    return rest > 0 ? Self.blur(result, variance: rest, context) : result
  }

  private static func blur(
    _ bitmap: BGRABitmap, by windows: [BoxWindow], _ context: ProcessingContext
  ) -> BGRABitmap {
    windows.reduce(bitmap) { result, window in
      window.alongColumns(window.alongRows(result, pool: context.pool), pool: context.pool)
    }
  }

  /// Blurs by a pixel's neighbours alone: with the three weights that have this variance.
  private static func blur(
    _ bitmap: BGRABitmap, variance: Double, _ context: ProcessingContext
  ) -> BGRABitmap {
    let weight = UInt32(Int(clamping: variance / 2 * 65_536, rounded: .toNearestOrAwayFromZero))
    let (right, bottom) = (bitmap.size.width - 1, bitmap.size.height - 1)
    func made(
      from bitmap: BGRABitmap, _ fill: (Int, inout MutableSpan<Pixel>, Span<Pixel>, PixelRows) -> Void
    ) -> BGRABitmap {
      bitmap.withPixels { pixels, rows in
        BGRABitmap(
          size: bitmap.size, isOpaque: bitmap.isOpaque, colorSpace: bitmap.colorSpace, pool: context.pool
        ) { y, target in fill(y, &target, pixels, rows) }
      }
    }
    let alongRows = made(from: bitmap) { y, target, pixels, rows in
      let row = pixels.extracting(rows[y])
      for x in 0...right { target[x] = mix(row[max(0, x - 1)], row[x], row[min(right, x + 1)], weight) }
    }
    return made(from: alongRows) { y, target, pixels, rows in
      let above = pixels.extracting(rows[max(0, y - 1)])
      let row = pixels.extracting(rows[y])
      let below = pixels.extracting(rows[min(bottom, y + 1)])
      for x in 0...right { target[x] = mix(above[x], row[x], below[x], weight) }
    }
  }

  /// - Parameter weight: of each of the two neighbours, in 65,536ths; less than a third.
  @inline(__always)
  private static func mix(_ before: Pixel, _ pixel: Pixel, _ after: Pixel, _ weight: UInt32) -> Pixel {
    func wide(_ pixel: Pixel) -> SIMD4<UInt32> {
      SIMD4<UInt32>(truncatingIfNeeded: unsafeBitCast(pixel, to: SIMD4<UInt8>.self))
    }
    // The weights add up to 65,536, so the sum is at most 255.5 of them.
    let neighbours = (wide(before) &+ wide(after)) &* SIMD4<UInt32>(repeating: weight)
    let own = wide(pixel) &* SIMD4<UInt32>(repeating: 65_536 - 2 * weight)
    let sum = neighbours &+ own &+ SIMD4<UInt32>(repeating: 32_768)
    let bytes = SIMD4<UInt8>(truncatingIfNeeded: sum &>> SIMD4<UInt32>(repeating: 16))
    return unsafeBitCast(bytes, to: Pixel.self)
  }
}

extension ImageProcessing where Self == GaussianBlur {
  /// Blurs the picture; the radius is the standard deviation in pixels.
  public static func gaussianBlur(radius: Double) -> Self { GaussianBlur(radius: radius) }

  /// The name is `gaussianBlur(radius:)`.
  @available(*, unavailable, renamed: "gaussianBlur(radius:)")
  public static func blur(radius: Double) -> Self { gaussianBlur(radius: radius) }
}

extension GaussianBlur: ScaledProcessing {
  /// The same with its radius multiplied by a factor.
  public func scaled(by factor: Double) -> GaussianBlur { GaussianBlur(radius: radius * factor) }
}
