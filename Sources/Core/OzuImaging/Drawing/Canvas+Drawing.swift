import OzuBase

extension Canvas {
  /// The rows that are drawn before the clock and the cancellation are looked at again.
  private static let rowsAtOnce = 64

  /// Draws the canvas, on the calling thread.
  ///
  /// - Parameters:
  ///   - pictures: the pictures of its sources. One in another size than the needed one is resized.
  ///   - labels: draws its labels; `nil` (the default) if it has none.
  ///   - context: the limits, the memory and the cancellation.
  /// - Returns: the picture, with notes about what is not as it was asked for.
  /// - Throws: `CanvasError`. All values and the price are checked before memory is taken.
  /// - Complexity: O(painted pixels) plus the labels.
  public func drawn(
    pictures: [NeededPicture: Picture] = [:], labels: (any LabelDrawing)? = nil,
    context: DecodingContext = DecodingContext()
  ) throws(CanvasError) -> Picture {
    let limits = context.limits
    try check(limits: limits)
    // Labels reserve memory of their own, so they are drawn before this canvas reserves its part.
    var texts = LabelPictures(labels, context, room: limits.pixelCount - price.pixelCount)
    for (index, element) in elements.enumerated() {
      guard case .label(let label, let placement) = element else { continue }
      try texts.add(label, of: index) { own in
        // What is resized or repeated is in the price.
        placement.size == nil && placement.tileGap == nil ? paintedArea(of: own, at: placement) : 0
      }
    }
    var notes = texts.notes
    let reserved: DecodingContext
    do throws(ImageDecodingError) {
      reserved = try context.reserving(price.byteCount)
    } catch {
      throw CanvasError(error)
    }
    defer { withExtendedLifetime(reserved) {} }
    let processing = ProcessingContext(pool: reserved.pool, limits: limits)
    let bitmap = try BGRABitmap.drawing(size: size, isOpaque: background.isOpaque, pool: reserved.pool) {
      (surface) throws(CanvasError) in
      let ground = PaintSampler(background, over: PixelRegion(size))
      try Self.draw(0..<size.height, reserved) { rows in
        for y in rows { ground.cover(surface, y, 0..<size.width) }
      }
      for (index, element) in elements.enumerated() {
        switch element {
        case .rectangle(let rectangle):
          let drawing = RectangleDrawing(rectangle)
          try Self.draw(drawing.rows(of: size), reserved) { drawing.draw(on: surface, rows: $0) }
        case .line(let line):
          let straight = StraightLine(line)
          let color = line.color.pixel
          try Self.draw(straight.extent(in: size).rows, reserved) {
            straight.draw(color, on: surface, rows: $0)
          }
        case .picture(let frame, let placement):
          guard let picture = pictures[frame.needed(at: placement)] else {
            throw .missingPicture(frame.source)
          }
          if picture.bitmap.colorSpace != .sRGB {
            notes.append("the colours of \(frame.source) count as sRGB")
          }
          let layer = try Self.layer(of: index) { () throws(ProcessingError) in
            try frame.layer(picture, placement, on: size, processing)
          }
          try Self.draw(layer.rows(of: size), reserved) { layer.draw(on: surface, rows: $0) }
        case .label(let label, let placement):
          guard let text = texts[label] else { continue }
          let place = placement.keeping(text.size, in: size, without: label.shadowMargins)
          let layer = try Self.layer(of: index) { () throws(ProcessingError) in
            try place.layer(resizing: text, on: size, processing)
          }
          try Self.draw(layer.rows(of: size), reserved) { layer.draw(on: surface, rows: $0) }
        }
      }
    }
    return Picture(bitmap.bitmap, notes: notes)
  }

  private static func layer(
    of element: Int, _ make: () throws(ProcessingError) -> PictureLayer
  ) throws(CanvasError) -> PictureLayer {
    do throws(ProcessingError) {
      return try make()
    } catch {
      throw .invalid(element: element, reason: "\(error)")
    }
  }

  /// Draws rows in parts, and throws between them if the work must stop.
  private static func draw(
    _ rows: Range<Int>, _ context: DecodingContext, _ draw: (Range<Int>) -> Void
  ) throws(CanvasError) {
    for start in stride(from: rows.lowerBound, to: rows.upperBound, by: rowsAtOnce) {
      do throws(ImageDecodingError) {
        try context.checkpoint()
      } catch {
        throw CanvasError(error)
      }
      draw(start..<min(start + rowsAtOnce, rows.upperBound))
    }
  }
}

/// The labels of a canvas, each drawn once. Their pixels, and the time in which they are drawn in another process, count
/// towards the limits.
private struct LabelPictures {
  private let drawing: (any LabelDrawing)?
  private let context: DecodingContext
  private let start = ContinuousClock.now
  /// The pixels that may still be painted.
  private var room: Int
  private var byteCount = 0
  private var bitmaps: [Label: BGRABitmap] = [:]
  private(set) var notes: [String] = []

  init(_ drawing: (any LabelDrawing)?, _ context: DecodingContext, room: Int) {
    self.drawing = drawing
    self.context = context
    self.room = room
  }

  subscript(label: Label) -> BGRABitmap? { bitmaps[label] }

  /// Draws a label, unless it was drawn before.
  ///
  /// - Parameter paintedArea: the pixels of the canvas that its bitmap, which has this size, paints.
  mutating func add(
    _ label: Label, of index: Int, paintedArea: (PixelSize) -> Int
  ) throws(CanvasError) {
    let limits = context.limits
    if bitmaps[label] == nil {
      guard let drawing else {
        throw .label(index, .unavailable(reason: "nothing was given that draws them"))
      }
      let picture: Picture
      do throws(LabelError) {
        picture = try drawing.picture(of: label, context: context)
      } catch {
        if error == .cancelled { throw .cancelled }
        throw .label(index, error)
      }
      let bitmap = BGRABitmap(picture.bitmap, pool: context.pool)
      bitmaps[label] = bitmap
      notes += picture.notes
      byteCount = byteCount.saturatingSum(bitmap.bitmap.byteCount)
    }
    if let size = bitmaps[label]?.size {
      room = room.saturatingDifference(max(size.pixelCount, paintedArea(size)))
    }
    do throws(ImageDecodingError) {
      try context.checkpoint()
      try limits.checkDecodedByteCount(byteCount)
      try limits.checkPixelCount(limits.pixelCount.saturatingDifference(room))
      try limits.check(spentTime: ContinuousClock.now - start)
    } catch {
      throw CanvasError(error)
    }
  }
}

extension Canvas.PictureFrame {
  /// The picture in its frame on a surface.
  fileprivate func layer(
    _ picture: Picture, _ placement: Placement, on size: PixelSize, _ context: ProcessingContext
  ) throws(ProcessingError) -> PictureLayer {
    var bitmap = picture.bitmap
    if let resize = needed(at: placement).resize { bitmap = try resize.process(bitmap, context: context) }
    var shown = BGRABitmap(bitmap, pool: context.pool)
    if clip != nil || border != nil {
      shown = try RoundedCorners(clip ?? .rectangle(radius: 0), border: border).process(
        shown, context: context)
    }
    return placement.layer(shown, frame: placement.size ?? shown.size, on: size, pool: context.pool)
  }
}

extension Placement {
  /// The placement of a label's bitmap, so that its text is where it would be without its shadow. A label that is resized or
  /// repeated is placed with it.
  fileprivate func keeping(
    _ label: PixelSize, in size: PixelSize, without margins: LabelGeometry.Box
  ) -> Placement {
    guard self.size == nil, tileGap == nil else { return self }
    let text = PixelSize(
      max(1, label.width - margins.left - margins.right), max(1, label.height - margins.top - margins.bottom))
    let (wanted, whole) = (anchor.origin(of: text, in: size), anchor.origin(of: label, in: size))
    var place = self
    place.x += Double(wanted.x - margins.left - whole.x)
    place.y += Double(wanted.y - margins.top - whole.y)
    // The text turns around its own centre, and its bitmap around that of the shadow too. A rounding error would blur whole pixels.
    func snapped(_ length: Double) -> Double { (length * 1024).rounded() / 1024 }
    let angle = rotation * .pi / 180
    let (x, y) = (Double(margins.right - margins.left) / 2, Double(margins.bottom - margins.top) / 2)
    place.x += snapped(cos(angle) * x - sin(angle) * y - x)
    place.y += snapped(sin(angle) * x + cos(angle) * y - y)
    return place
  }
}
