#if canImport(Glibc)
  import Glibc
#else
  import Foundation
#endif

/// Draws another picture (the mark) over the picture.
public struct Watermark: ImageProcessing {
  /// How the two pictures are mixed.
  public enum BlendMode: String, Hashable, Sendable {
    /// The mark covers the picture.
    case normal
    /// Darkens: the product of both.
    case multiply
    /// Lightens: the inverse product of the inverses.
    case screen
  }

  /// A distance in pixels that is larger than any side of a picture.
  private static let farthest = 1 << 60

  private let mark: BGRABitmap
  /// Distinguishes the mark from others in the identifier.
  private let key: String
  private let anchor: ImageAnchor
  private let margin: Int
  private let opacity: Double
  private let mode: BlendMode

  /// Makes the processor.
  ///
  /// - Parameters:
  ///   - mark: the picture to draw, at its own size.
  ///   - key: distinguishes the mark from others, as a part of the identifier; `nil` (the default) for a checksum
  ///     of its pixels.
  ///   - anchor: the place of the mark.
  ///   - margin: its distance from the edges at that place, in pixels.
  ///   - opacity: from 0, invisible, to 1.
  public init(
    _ mark: Bitmap, key: String? = nil, at anchor: ImageAnchor = .bottomRight, margin: Int = 0,
    opacity: Double = 1,
    mode: BlendMode = .normal
  ) {
    self.mark = BGRABitmap(mark)
    self.key = key.map { "\($0.utf8.count):\($0)" } ?? "#" + self.mark.checksum
    self.anchor = anchor
    self.margin = margin
    self.opacity = opacity
    self.mode = mode
  }

  /// The kind of processor with all its parameters.
  public var identifier: String {
    "watermark(\(key),\(mark.size),\(anchor.rawValue),\(margin),\(opacity),\(mode.rawValue))"
  }

  /// Draws the mark, without the parts of it that lie outside the picture.
  ///
  /// - Throws: `invalidParameters` for an opacity outside 0...1.
  public func process(
    _ bitmap: BGRABitmap, context: ProcessingContext
  ) throws(ProcessingError) -> BGRABitmap {
    guard (0...1).contains(opacity) else {
      throw .invalidParameters(identifier, reason: "the opacity must be from 0 to 1")
    }
    let veil = UInt8((opacity * 255).rounded())
    // At such a distance the mark is not visible anyway, and sums of these numbers do not overflow.
    let margin = min(max(margin, -Self.farthest), Self.farthest)
    let inner = PixelSize(mark.size.width + 2 * margin, mark.size.height + 2 * margin)
    let corner = anchor.origin(of: inner, in: bitmap.size)
    let place = (x: corner.x + margin, y: corner.y + margin)
    let rows = Self.overlap(of: mark.size.height, at: place.y, in: bitmap.size.height)
    let columns = Self.overlap(of: mark.size.width, at: place.x, in: bitmap.size.width)
    return mark.withPixels { pixels, markRows in
      BGRABitmap.editing(
        bitmap, size: bitmap.size, rows: rows, isOpaque: bitmap.isOpaque, colorSpace: bitmap.colorSpace,
        pool: context.pool
      ) { y, target in
        let source = pixels.extracting(markRows[y - place.y])
        for x in columns { target[x] = mode.blend(source[x - place.x].covered(by: veil), target[x]) }
      }
    }
  }
}

extension Watermark {
  /// The part of an extent at a place that lies in `0..<whole`.
  fileprivate static func overlap(of extent: Int, at place: Int, in whole: Int) -> Range<Int> {
    let start = min(max(0, place), whole)
    return start..<min(max(start, place + extent), whole)
  }
}

extension Watermark.BlendMode {
  /// The mix of two premultiplied pixels (W3C Compositing and Blending, §9 and §10).
  @inline(__always)
  fileprivate func blend(_ above: Pixel, _ below: Pixel) -> Pixel {
    let plain = above.over(below)
    @inline(__always) func part(_ a: UInt8, _ b: UInt8) -> UInt8 {
      let product = scaled(a, by: b)
      switch self {
      case .normal: return 0
      case .multiply:
        let sum =
          Int32(product) + Int32(scaled(a, by: 255 - below.alpha)) + Int32(scaled(b, by: 255 - above.alpha))
        return UInt8(truncatingIfNeeded: min(sum, Int32(plain.alpha)))
      case .screen:
        return UInt8(truncatingIfNeeded: min(Int32(a) + Int32(b) - Int32(product), Int32(plain.alpha)))
      }
    }
    if self == .normal { return plain }
    return Pixel(
      red: part(above.red, below.red), green: part(above.green, below.green),
      blue: part(above.blue, below.blue), alpha: plain.alpha)
  }
}

extension ImageProcessing where Self == Watermark {
  /// Draws another picture over the picture.
  public static func watermark(
    _ mark: Bitmap, key: String? = nil, at anchor: ImageAnchor = .bottomRight, margin: Int = 0,
    opacity: Double = 1,
    mode: Watermark.BlendMode = .normal
  ) -> Self {
    Watermark(mark, key: key, at: anchor, margin: margin, opacity: opacity, mode: mode)
  }
}
