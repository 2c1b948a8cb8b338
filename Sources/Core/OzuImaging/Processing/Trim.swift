/// Removes a border of one colour.
public struct Trim: ImageProcessing, Hashable {
  /// Directions of a picture.
  public struct Axes: OptionSet, Hashable, Sendable {
    /// The bits of the set.
    public let rawValue: Int
    /// Left and right.
    public static let horizontal = Axes(rawValue: 1)
    /// Top and bottom.
    public static let vertical = Axes(rawValue: 2)

    /// Makes a set of its bits.
    public init(rawValue: Int) { self.rawValue = rawValue }
  }

  /// How much a value may differ from the border's and still count as border. 10 by default.
  public let tolerance: UInt8
  /// The colour of the border. By default `nil`, that of the top left pixel.
  public let color: ColorValue?
  /// Where as much is removed from one side as from the other, so that the middle stays in the middle. By default nowhere.
  public let evenAxes: Axes

  /// Makes the processor.
  public init(tolerance: UInt8 = 10, color: ColorValue? = nil, evenAxes: Axes = []) {
    self.tolerance = tolerance
    self.color = color
    self.evenAxes = evenAxes
  }

  /// The kind of processor with all its parameters.
  public var identifier: String {
    color == nil && evenAxes.isEmpty
      ? "trim(\(tolerance))" : "trim(\(tolerance),\(color?.identifier ?? ""),\(evenAxes.rawValue))"
  }

  /// Trims the picture. If the whole picture is border, nothing is removed. From an animation that is written, only what is
  /// border in all frames is removed.
  ///
  /// - Complexity: O(pixels).
  public func process(
    _ bitmap: BGRABitmap, context: ProcessingContext
  ) throws(ProcessingError) -> BGRABitmap {
    let part = try context.content(of: bitmap.size, for: self) { content(of: bitmap) }
    guard let part else { return bitmap }
    return bitmap.cropped(to: part, pool: context.pool)
  }

  /// What is no border; `nil` if everything is.
  private func content(of bitmap: BGRABitmap) -> PixelRectangle? {
    bitmap.withPixels { pixels, rows -> PixelRectangle? in
      // No `??`: its second value is a closure, and Swift 6.3 cannot compile one with a span.
      let border = if let color { color.pixel } else { pixels[0] }
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
      if evenAxes.contains(.horizontal) {
        left = min(left, bitmap.size.width - 1 - right)
        right = bitmap.size.width - 1 - left
      }
      if evenAxes.contains(.vertical) {
        top = min(top, bitmap.size.height - 1 - bottom)
        bottom = bitmap.size.height - 1 - top
      }
      return PixelRectangle(x: left, y: top, width: right - left + 1, height: bottom - top + 1)
    }
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
  public static func trim(tolerance: UInt8 = 10, color: ColorValue? = nil, evenAxes: Trim.Axes = []) -> Self {
    Trim(tolerance: tolerance, color: color, evenAxes: evenAxes)
  }
}
