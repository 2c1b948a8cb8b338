import OzuBase

/// What a canvas costs, as far as that is known before its pictures are loaded and its labels are measured.
public struct CanvasPrice: Hashable, Sendable {
  /// The number of elements.
  public let elementCount: Int
  /// The pixels that are painted, those of the ground included. Pixels that several elements cover count for each.
  public let pixelCount: Int
  /// The bytes of the canvas, and of its pictures and labels at the sizes of their placements.
  public let byteCount: Int
}

extension Canvas {
  /// The most elements of a canvas.
  public static let mostElements = 1000

  /// The most characters of all labels together.
  public static let mostCharacters = 20_000

  /// The largest distance and length in an element, in pixels. Sums of a few of these are exact in a `Double`.
  static let farthest = Double(1 << 24)
  /// The range of lengths, for people.
  static let lengths = "from 0 to \(1 << 24) pixels"

  /// What the canvas costs.
  ///
  /// - Complexity: O(elements).
  public var price: CanvasPrice {
    var (pixels, bytes) = (size.pixelCount, size.bitmapByteCount(as: .bgra8))
    for element in elements {
      pixels = pixels.saturatingSum(area(of: element))
      if let frame = element.frame {
        // What is resized to it, and the copy that is cut to a shape or turned.
        bytes = bytes.saturatingSum(frame.bitmapByteCount(as: .bgra8).saturatingProduct(2))
      }
    }
    return CanvasPrice(elementCount: elements.count, pixelCount: pixels, byteCount: bytes)
  }

  /// Checks all values and the price. Nothing is loaded and no memory is taken, so it is the first thing that is done with a
  /// canvas from outside.
  ///
  /// - Throws: `CanvasError`: `invalid`, `label`, `tooManyElements`, `limitExceeded`.
  public func check(limits: DecodingLimits = .default) throws(CanvasError) {
    guard !size.isEmpty else { throw .invalid(element: nil, reason: "it has no pixels") }
    guard elements.count <= Self.mostElements else { throw .tooManyElements(elements.count) }
    if let flaw = background.flaw { throw .invalid(element: nil, reason: flaw) }
    for (index, element) in elements.enumerated() {
      if let flaw = element.flaw { throw .invalid(element: index, reason: flaw) }
    }
    try checkLabels(limits)
    let price = price
    do throws(ImageDecodingError) {
      try limits.checkSide(of: size)
      for element in elements { if let frame = element.frame { try limits.checkSide(of: frame) } }
      try limits.checkPixelCount(price.pixelCount)
      try limits.checkDecodedByteCount(price.byteCount)
    } catch {
      throw CanvasError(error)
    }
  }

  /// Checks the labels, each and the text of all together.
  private func checkLabels(_ limits: DecodingLimits) throws(CanvasError) {
    var count = 0
    for (index, element) in elements.enumerated() {
      guard case .label(let label, _) = element else { continue }
      do throws(LabelError) {
        try label.check(limits)
      } catch {
        throw .label(index, error)
      }
      count += label.characterCount
      guard count <= Self.mostCharacters else {
        throw .limitExceeded(.init(.characterCount, value: count, limit: Self.mostCharacters))
      }
    }
  }

  /// The most pixels that an element paints. A label in its own size counts when it is drawn.
  private func area(of element: Element) -> Int {
    switch element {
    case .label(_, let placement) where placement.size == nil && placement.tileGap == nil: return 0
    case .picture(let frame, let placement) where frame.needed(at: placement).resize == nil:
      // In its own size, which is not known.
      return size.pixelCount
    case .picture(_, let placement), .label(_, let placement):
      return paintedArea(of: placement.size, at: placement)
    case .rectangle(let rectangle):
      return area(
        PixelSurface.touched(from: rectangle.x, to: rectangle.x + rectangle.width, in: size.width),
        PixelSurface.touched(from: rectangle.y, to: rectangle.y + rectangle.height, in: size.height))
    case .line(let line):
      let (columns, rows) = StraightLine(line).extent(in: size)
      return area(columns, rows)
    }
  }

  /// The most pixels that something of a size paints.
  func paintedArea(of frame: PixelSize?, at placement: Placement) -> Int {
    guard let frame, placement.tileGap == nil else { return size.pixelCount }
    // A turned picture lies in a rectangle of at most twice its area and a square of its longer side.
    let longest = max(frame.width, frame.height)
    let area =
      placement.rotation == 0 ? frame.pixelCount : longest.saturatingProduct(longest).saturatingProduct(2)
    return min(area, size.pixelCount)
  }

  private func area(_ columns: Range<Int>, _ rows: Range<Int>) -> Int {
    columns.count.saturatingProduct(rows.count)
  }
}

extension Canvas.Element {
  /// The size that a picture or a label is brought to; `nil` for its own, and for shapes.
  fileprivate var frame: PixelSize? {
    switch self {
    case .picture(_, let placement), .label(_, let placement): placement.size
    case .rectangle, .line: nil
    }
  }
}
