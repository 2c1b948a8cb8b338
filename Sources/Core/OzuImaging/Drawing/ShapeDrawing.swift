import OzuBase

/// A rectangle whose corners may be round, and which part of a pixel it covers.
private struct RoundedRectangle {
  let left, top, right, bottom, radius: Double

  init(_ rectangle: Canvas.Rectangle, inset: Double = 0) {
    (left, top) = (rectangle.x + inset, rectangle.y + inset)
    // An inset that is wider than the rectangle leaves nothing of it.
    right = max(left, rectangle.x + rectangle.width - inset)
    bottom = max(top, rectangle.y + rectangle.height - inset)
    let outer = min(rectangle.cornerRadius, min(rectangle.width, rectangle.height) / 2)
    radius = min(max(0, outer - inset), min(right - left, bottom - top) / 2)
  }

  /// The pixels of a row that it covers wholly.
  func whole(row y: Int) -> Range<Int> {
    let (upper, lower) = (Double(y), Double(y) + 1)
    guard upper >= top, lower <= bottom else { return 0..<0 }
    let isInCorners = upper < top + radius || lower > bottom - radius
    let inset = isInCorners ? radius : 0
    // Places are at most a few times `Canvas.farthest`.
    let first = Int((left + inset).rounded(.up))
    return first..<max(first, Int((right - inset).rounded(.down)))
  }

  /// The part of a pixel that it covers: exact at straight edges, and by the distance from the circle in round
  /// corners.
  @inline(__always)
  func coverage(_ x: Int, _ y: Int) -> Double {
    let (middleX, middleY) = (Double(x) + 0.5, Double(y) + 0.5)
    let dx = max(left + radius - middleX, middleX - (right - radius))
    let dy = max(top + radius - middleY, middleY - (bottom - radius))
    if radius > 0, dx > 0, dy > 0 { return max(0, min(radius + 0.5 - (dx * dx + dy * dy).squareRoot(), 1)) }
    let across = min(Double(x) + 1, right) - max(Double(x), left)
    let down = min(Double(y) + 1, bottom) - max(Double(y), top)
    return max(0, across) * max(0, down)
  }
}

/// A rectangle with its fill and its border, as it is drawn on a surface.
struct RectangleDrawing {
  private let outer: RoundedRectangle
  private let inner: RoundedRectangle
  private let fill: PaintSampler
  private let line: Pixel
  private let isFilled: Bool

  /// - Parameter rectangle: has no flaw.
  init(_ rectangle: Canvas.Rectangle) {
    outer = RoundedRectangle(rectangle)
    inner = RoundedRectangle(rectangle, inset: rectangle.border?.width ?? 0)
    isFilled = rectangle.fill != nil
    fill = PaintSampler(
      rectangle.fill ?? .color(.clear),
      over: PixelRegion(x: rectangle.x, y: rectangle.y, width: rectangle.width, height: rectangle.height))
    line = rectangle.border?.color.pixel ?? .clear
  }

  /// The rows of a surface on which it can change a pixel.
  func rows(of size: PixelSize) -> Range<Int> {
    PixelSurface.touched(from: outer.top, to: outer.bottom, in: size.height)
  }

  func draw(on surface: PixelSurface, rows: Range<Int>) {
    let columns = PixelSurface.touched(from: outer.left, to: outer.right, in: surface.size.width)
    guard !columns.isEmpty else { return }
    for y in rows {
      let whole = inner.whole(row: y).clamped(to: columns)
      // The edges on both sides, pixel by pixel, and what lies between them.
      drawEdge(surface, y, columns.lowerBound..<whole.lowerBound)
      drawEdge(surface, y, whole.upperBound..<columns.upperBound)
      if isFilled { fill.cover(surface, y, whole) }
    }
  }

  private func drawEdge(_ surface: PixelSurface, _ y: Int, _ edge: Range<Int>) {
    guard !edge.isEmpty else { return }
    surface.edit(y, edge) { target in
      fill.forEach(edge, row: y) { index, color in
        let x = edge.lowerBound + index
        let part = inner.coverage(x, y)
        let rim = max(0, outer.coverage(x, y) - part)
        let source = color.covered(by: Self.byte(part)).added(to: line.covered(by: Self.byte(rim)))
        target[index] = source.over(target[index])
      }
    }
  }

  @inline(__always)
  private static func byte(_ part: Double) -> UInt8 { UInt8(part * 255 + 0.5) }
}

extension PaintSampler {
  /// Paints some pixels of a row wholly.
  func cover(_ surface: PixelSurface, _ y: Int, _ columns: Range<Int>) {
    guard !columns.isEmpty else { return }
    surface.edit(y, columns) { target in
      if isOpaque {
        forEach(columns, row: y) { index, color in target[index] = color }
      } else {
        forEach(columns, row: y) { index, color in target[index] = color.over(target[index]) }
      }
    }
  }
}

extension Pixel {
  /// The sum of two parts of a pixel that do not overlap; limited, because both are rounded.
  @inline(__always)
  fileprivate func added(to other: Pixel) -> Pixel {
    func sum(_ a: UInt8, _ b: UInt8) -> UInt8 {
      let (sum, overflow) = a.addingReportingOverflow(b)
      return overflow ? 255 : sum
    }
    return Pixel(
      red: sum(red, other.red), green: sum(green, other.green), blue: sum(blue, other.blue),
      alpha: sum(alpha, other.alpha))
  }
}

/// A straight line, and which part of a pixel it covers.
struct StraightLine {
  private let middle: (x: Double, y: Double)
  /// From the middle towards the end, one pixel long.
  private let direction: (x: Double, y: Double)
  private let halfLength: Double
  private let halfWidth: Double
  private let hasRoundEnds: Bool

  init(_ line: Canvas.Line) {
    let (dx, dy) = (line.endX - line.startX, line.endY - line.startY)
    let length = (dx * dx + dy * dy).squareRoot()
    middle = (line.startX + dx / 2, line.startY + dy / 2)
    direction = length > 0 ? (dx / length, dy / length) : (1, 0)
    halfLength = length / 2
    halfWidth = line.width / 2
    hasRoundEnds = line.hasRoundEnds
  }

  /// The pixels that it may touch.
  func extent(in size: PixelSize) -> (columns: Range<Int>, rows: Range<Int>) {
    let ends = hasRoundEnds ? halfLength + halfWidth : halfLength
    let reach = (
      x: abs(direction.x) * ends + abs(direction.y) * halfWidth + 0.5,
      y: abs(direction.y) * ends + abs(direction.x) * halfWidth + 0.5
    )
    guard halfWidth > 0 else { return (0..<0, 0..<0) }
    return (
      PixelSurface.touched(from: middle.x - reach.x, to: middle.x + reach.x, in: size.width),
      PixelSurface.touched(from: middle.y - reach.y, to: middle.y + reach.y, in: size.height)
    )
  }

  /// The part of a pixel that it covers, by the distances of its middle from the edges. A line that is thinner than a pixel
  /// covers at most its width.
  @inline(__always)
  private func coverage(_ x: Int, _ y: Int) -> Double {
    let (dx, dy) = (Double(x) + 0.5 - middle.x, Double(y) + 0.5 - middle.y)
    let along = abs(dx * direction.x + dy * direction.y) - halfLength
    let across = abs(dx * direction.y - dy * direction.x)
    let most = min(1, 2 * halfWidth)
    if hasRoundEnds {
      let distance = along > 0 ? (along * along + across * across).squareRoot() : across
      return max(0, min(halfWidth + 0.5 - distance, most))
    }
    let part = max(0, min(halfWidth + 0.5 - across, most))
    return part * max(0, min(0.5 - along, min(1, 2 * halfLength)))
  }

  /// Draws some of the rows that it may touch.
  func draw(_ color: Pixel, on surface: PixelSurface, rows: Range<Int>) {
    let columns = extent(in: surface.size).columns
    guard !columns.isEmpty else { return }
    for y in rows {
      surface.edit(y, columns) { target in
        for index in target.indices {
          let part = coverage(columns.lowerBound + index, y)
          if part > 0 { target[index] = color.covered(by: UInt8(part * 255 + 0.5)).over(target[index]) }
        }
      }
    }
  }
}
