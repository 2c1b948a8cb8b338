/// Removes a border of one colour.
public struct Trim: ImageProcessing, Hashable {
  /// How much a value may differ from the corner's and still count as border. 10 by default.
  public let tolerance: UInt8

  /// Makes the processor.
  public init(tolerance: UInt8 = 10) {
    self.tolerance = tolerance
  }

  /// The kind of processor with all its parameters.
  public var identifier: String { "trim(\(tolerance))" }

  /// Trims the picture. The border has the colour of the top left pixel. If the whole picture is border, nothing is
  /// removed.
  ///
  /// - Complexity: O(pixels).
  public func process(
    _ bitmap: BGRABitmap, context: ProcessingContext
  ) throws(ProcessingError) -> BGRABitmap {
    let content = bitmap.withPixels { pixels, rows -> PixelRectangle? in
      let border = pixels[0]
      var left = bitmap.size.width
      var right = -1
      var top = -1
      var bottom = -1
      for y in 0..<bitmap.size.height {
        let row = pixels.extracting(rows[y])
        guard let first = row.indices.first(where: { differs(row[$0], border) }),
          let last = row.indices.last(where: { differs(row[$0], border) })
        else { continue }
        left = min(left, first)
        right = max(right, last)
        if top < 0 { top = y }
        bottom = y
      }
      guard top >= 0 else { return nil }
      return PixelRectangle(x: left, y: top, width: right - left + 1, height: bottom - top + 1)
    }
    guard let content else { return bitmap }
    return bitmap.cropped(to: content, pool: context.pool)
  }

  private func differs(_ a: Pixel, _ b: Pixel) -> Bool {
    func distance(_ a: UInt8, _ b: UInt8) -> UInt8 { a > b ? a - b : b - a }
    let largest = max(
      distance(a.red, b.red), distance(a.green, b.green), distance(a.blue, b.blue), distance(a.alpha, b.alpha)
    )
    return largest > tolerance
  }
}

extension ImageProcessing where Self == Trim {
  /// Removes a border of one colour.
  public static func trim(tolerance: UInt8 = 10) -> Self { Trim(tolerance: tolerance) }
}
