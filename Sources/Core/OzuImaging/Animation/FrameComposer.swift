/// Paints the frames of an animation on their canvas, one after the other.
///
/// Canvases are immutable bitmaps. To restore the canvas after a frame, the composer uses the bitmap from before the
/// frame, which it has kept. A frame that covers the whole canvas becomes the canvas without a copy. If an earlier
/// frame is asked for, the composer starts again at the last frame that does not depend on the frames before it.
struct FrameComposer {
  let track: AnimationTrack

  private let reader: any AnimationFrameReading
  /// The index of the next frame.
  private var position = 0
  /// The canvas that the next frame is painted on; `nil` for a transparent canvas.
  private var canvas: BGRABitmap?

  /// - Throws: `AnimationTrack.Flaw`, if the frames of the reader are not an animation of the picture.
  init(_ reader: any AnimationFrameReading, of picture: PixelSize) throws(AnimationTrack.Flaw) {
    track = try AnimationTrack(reader, of: picture)
    self.reader = reader
  }

  private var size: PixelSize { track.canvas }
  private var frames: [AnimationFrame] { track.frames }

  /// The canvas as it is shown at a frame.
  ///
  /// - Complexity: O(frames since the last independent one, or since the one made last).
  mutating func compose(_ index: Int, context: DecodingContext) throws(ImageDecodingError) -> BGRABitmap {
    let start = independentFrame(upTo: index)
    if index < position || start > position {
      canvas = nil
      position = start
    }
    while true {
      try context.checkpoint()
      let current = position
      let shown = try next(context)
      if current == index { return shown }
    }
  }

  mutating func reset() {
    canvas = nil
    position = 0
  }

  private mutating func next(_ context: DecodingContext) throws(ImageDecodingError) -> BGRABitmap {
    let frame = frames[position]
    let decoded = try reader.decodeFrame(at: position, context: context)
    guard decoded.size == frame.size else {
      throw .corrupt(
        .init(rawValue: "animation"), stage: "frames",
        reason: "frame \(position) decoded to \(decoded.size) instead of \(frame.size)")
    }
    let shown = paint(frame, BGRABitmap(decoded, pool: context.pool), context)
    switch frame.disposal {
    case .keep: canvas = shown
    case .restore: break
    case .clear: canvas = frame.covers(size) ? nil : clear(frame, of: shown, context.pool)
    }
    position += 1
    return shown
  }

  /// The last frame up to `index` that depends on no frame before it.
  private func independentFrame(upTo index: Int) -> Int {
    for candidate in stride(from: index, to: 0, by: -1) {
      let before = frames[candidate - 1]
      if frames[candidate].blend == .source && frames[candidate].covers(size) { return candidate }
      if before.disposal == .clear && before.covers(size) { return candidate }
    }
    return 0
  }

  private func paint(
    _ frame: AnimationFrame, _ pixels: BGRABitmap, _ context: DecodingContext
  ) -> BGRABitmap {
    let isReplaced =
      frame.covers(size) && (frame.blend == .source || pixels.isOpaque || canvas == nil)
    if isReplaced { return pixels }
    let stays = canvas?.isOpaque ?? false
    let isOpaque = stays && (frame.blend == .over || pixels.isOpaque)
    let alpha = context.alpha
    return pixels.withPixels { source, rows in
      BGRABitmap.drawing(
        on: canvas, size: size, isOpaque: isOpaque, colorSpace: pixels.colorSpace, pool: context.pool
      ) { (surface) throws(Never) in
        for y in 0..<frame.size.height {
          let source = source.extracting(rows[y])
          surface.edit(frame.y + y, frame.x..<frame.x + frame.size.width) { target in
            switch frame.blend {
            case .source: for x in source.indices { target[x] = source[x] }
            case .over: for x in source.indices { target[x] = alpha.over(source[x], target[x]) }
            }
          }
        }
      }
    }
  }

  private func clear(_ frame: AnimationFrame, of shown: BGRABitmap, _ pool: PixelBufferPool) -> BGRABitmap {
    BGRABitmap.drawing(
      on: shown, size: size, isOpaque: false, colorSpace: shown.colorSpace, pool: pool
    ) { (surface) throws(Never) in
      for y in frame.y..<frame.y + frame.size.height {
        surface.edit(y, frame.x..<frame.x + frame.size.width) { $0.update(repeating: .clear) }
      }
    }
  }
}

/// Whether the colours of transparent pixels are multiplied by alpha.
package enum Alpha: Sendable {
  /// Multiplied, as in all bitmaps.
  case premultiplied
  /// As stored. Such a bitmap must not be shown: it is for tests that compare a decoder bit by bit, because the
  /// multiplication would hide differences.
  case straight

  /// The upper pixel over the lower one (Porter and Duff 1984, "over").
  @inline(__always)
  func over(_ top: Pixel, _ bottom: Pixel) -> Pixel {
    if top.alpha == 255 { return top }
    if top.alpha == 0 { return bottom }
    return self == .premultiplied ? top.over(bottom) : stored(top, over: bottom)
  }

  private func stored(_ top: Pixel, over bottom: Pixel) -> Pixel {
    // In units of 1/255².
    let topWeight = UInt32(top.alpha) * 255
    let bottomWeight = UInt32(bottom.alpha) * (255 - UInt32(top.alpha))
    let total = topWeight + bottomWeight
    func mean(_ top: UInt8, _ bottom: UInt8) -> UInt8 {
      UInt8((UInt32(top) * topWeight + UInt32(bottom) * bottomWeight + total / 2) / total)
    }
    return Pixel(
      red: mean(top.red, bottom.red), green: mean(top.green, bottom.green),
      blue: mean(top.blue, bottom.blue), alpha: UInt8((total + 127) / 255))
  }
}
