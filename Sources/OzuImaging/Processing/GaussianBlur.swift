/// Blurs the picture as a Gaussian would.
///
/// Three box filters in a row come within 3 % of the bell curve (Wells 1986; the widths are those of the SVG
/// and CSS filter specifications), and a box filter slides: what it costs does not depend on its radius.
public struct GaussianBlur: ImageProcessing, Hashable {
  /// The standard deviation in pixels.
  public let radius: Double

  /// Makes the step.
  public init(radius: Double) {
    self.radius = radius
  }

  /// The kind of step with all its parameters.
  public var identifier: String { "blur(\(radius))" }

  /// Blurs. Beyond the edge the picture is taken to go on with its border pixels.
  ///
  /// - Throws: `invalidParameters` for a radius that is negative, not finite or over 1,000.
  /// - Complexity: O(pixels), whatever the radius.
  public func process(_ bitmap: Bitmap, context: ProcessingContext) throws(ProcessingError) -> Bitmap {
    guard radius.isFinite, radius >= 0, radius <= 1000 else {
      throw .invalidParameters(identifier, reason: "the radius must be from 0 to 1000 pixels")
    }
    var result = bitmap
    for window in BoxWindow.windows(deviation: radius) where window.length > 1 {
      result = window.alongRows(result, pool: context.pool)
      result = window.alongColumns(result, pool: context.pool)
    }
    return result
  }
}

/// A run of pixels whose mean is taken: so many before the pixel and so many behind it.
struct BoxWindow {
  let before: Int
  let behind: Int

  var length: Int { before + behind + 1 }

  /// The three windows that together come close to a Gaussian. An even length cannot be centred: two of them
  /// lean to opposite sides, and the third is one longer.
  static func windows(deviation: Double) -> [BoxWindow] {
    let length = Int(deviation * 1.879_971_205_597_325_2 + 0.5)  // 3 × √(2π) ÷ 4
    let half = length / 2
    if length % 2 == 1 { return Array(repeating: BoxWindow(before: half, behind: half), count: 3) }
    guard half > 0 else { return [] }
    return [
      BoxWindow(before: half, behind: half - 1), BoxWindow(before: half - 1, behind: half),
      BoxWindow(before: half, behind: half),
    ]
  }

  private typealias Sum = SIMD4<UInt32>

  @inline(__always)
  private static func values(_ pixel: Pixel) -> Sum {
    Sum(UInt32(pixel.blue), UInt32(pixel.green), UInt32(pixel.red), UInt32(pixel.alpha))
  }

  /// The mean of sums over `length` pixels: a multiplication by the reciprocal in 24 bits, which is exact for
  /// the byte it is rounded to (sums stay below 2^20, so the products fit in 64 bits with room).
  @inline(__always)
  private func mean(_ sum: Sum, _ reciprocal: UInt64) -> Pixel {
    @inline(__always) func part(_ value: UInt32) -> UInt8 {
      UInt8(truncatingIfNeeded: (UInt64(value) &* reciprocal &+ (1 << 31)) >> 32)
    }
    return Pixel(red: part(sum[2]), green: part(sum[1]), blue: part(sum[0]), alpha: part(sum[3]))
  }

  private var reciprocal: UInt64 { ((1 << 32) + UInt64(length) / 2) / UInt64(length) }

  func alongRows(_ bitmap: Bitmap, pool: PixelBufferPool) -> Bitmap {
    let reciprocal = reciprocal
    let last = bitmap.size.width - 1
    return bitmap.withRows { row in
      Bitmap(
        size: bitmap.size, isOpaque: bitmap.isOpaque, colorSpace: bitmap.colorSpace, pool: pool
      ) { y, target in
        let source = row(y)
        var sum = Sum.zero
        for x in -before...behind { sum &+= Self.values(source[min(max(x, 0), last)]) }
        for x in 0...last {
          target[x] = mean(sum, reciprocal)
          sum &+= Self.values(source[min(x + behind + 1, last)])
          sum &-= Self.values(source[max(x - before, 0)])
        }
      }
    }
  }

  /// All columns side by side: a sum for each, moved down row by row, so that memory is read in its order.
  func alongColumns(_ bitmap: Bitmap, pool: PixelBufferPool) -> Bitmap {
    let reciprocal = reciprocal
    let last = bitmap.size.height - 1
    var sums = [Sum](repeating: .zero, count: bitmap.size.width)
    return bitmap.withRows { row in
      for y in -before...behind {
        let source = row(min(max(y, 0), last))
        for x in sums.indices { sums[x] &+= Self.values(source[x]) }
      }
      return Bitmap(
        size: bitmap.size, isOpaque: bitmap.isOpaque, colorSpace: bitmap.colorSpace, pool: pool
      ) { y, target in
        let entering = row(min(y + behind + 1, last))
        let leaving = row(max(y - before, 0))
        for x in sums.indices {
          target[x] = mean(sums[x], reciprocal)
          sums[x] &+= Self.values(entering[x])
          sums[x] &-= Self.values(leaving[x])
        }
      }
    }
  }
}

extension ImageProcessing where Self == GaussianBlur {
  /// Blurs the picture; the radius is the standard deviation in pixels.
  public static func gaussianBlur(radius: Double) -> Self { GaussianBlur(radius: radius) }
}
