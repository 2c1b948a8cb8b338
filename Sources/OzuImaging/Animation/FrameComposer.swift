/// Puts the frames of an animation on their canvas, one after the other.
///
/// Canvases are immutable bitmaps: what a frame disposes of is a canvas that is kept, not one that is repaired, and
/// a frame that covers everything is its own canvas, without a copy. Going back starts again at the last frame
/// that depends on none before it.
struct FrameComposer {
  private let reader: any AnimationFrameReading
  private let blending: FrameBlending
  /// The number of the frame that comes next.
  private var position = 0
  /// What the next frame is painted on; `nil` for a transparent canvas.
  private var canvas: Bitmap?

  init(_ reader: any AnimationFrameReading, blending: FrameBlending) {
    self.reader = reader
    self.blending = blending
  }

  /// The canvas as it is seen at a frame.
  ///
  /// - Complexity: O(frames from the last independent one, or from the one made last).
  mutating func compose(_ index: Int, context: DecodingContext) throws(DecodingError) -> Bitmap {
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

  /// Forgets the canvas.
  mutating func reset() {
    canvas = nil
    position = 0
  }

  private mutating func next(_ context: DecodingContext) throws(DecodingError) -> Bitmap {
    let frame = reader.frames[position]
    let pixels = try reader.decodeFrame(at: position, context: context)
    guard pixels.size == frame.size else {
      let reason = "frame \(position) decoded to \(pixels.size) instead of \(frame.size)"
      throw .corrupt(.init(rawValue: "animation"), stage: "frames", reason: reason)
    }
    let shown = paint(frame, pixels, context.pool)
    switch frame.disposal {
    case .keep: canvas = shown
    case .restore: break
    case .clear: canvas = frame.covers(reader.canvas) ? nil : clear(frame, of: shown, context.pool)
    }
    position += 1
    return shown
  }

  /// The last frame up to `index` that depends on no frame before it.
  private func independentFrame(upTo index: Int) -> Int {
    let frames = reader.frames
    for candidate in stride(from: index, to: 0, by: -1) {
      let before = frames[candidate - 1]
      if frames[candidate].blend == .source && frames[candidate].covers(reader.canvas) { return candidate }
      if before.disposal == .clear && before.covers(reader.canvas) { return candidate }
    }
    return 0
  }

  private func paint(_ frame: AnimationFrame, _ pixels: Bitmap, _ pool: PixelBufferPool) -> Bitmap {
    let isReplaced =
      frame.covers(reader.canvas) && (frame.blend == .source || pixels.isOpaque || canvas == nil)
    if isReplaced { return pixels }
    let stays = canvas?.isOpaque ?? false
    let isOpaque = stays && (frame.blend == .over || pixels.isOpaque)
    return edited(isOpaque: isOpaque, pixels.colorSpace, pool) { target, wordsPerRow in
      pixels.withUnsafeBytes { bytes in
        let source = bytes.bindMemory(to: UInt32.self)
        let sourceWordsPerRow = pixels.bytesPerRow / 4
        for y in 0..<frame.size.height {
          let from = y * sourceWordsPerRow
          let to = (frame.y + y) * wordsPerRow + frame.x
          for x in 0..<frame.size.width {
            let word = UInt32(littleEndian: source[from + x])
            target[to + x] = UInt32(
              littleEndian: frame.blend == .source
                ? word : blending.over(word, UInt32(littleEndian: target[to + x])))
          }
        }
      }
    }
  }

  private func clear(_ frame: AnimationFrame, of shown: Bitmap, _ pool: PixelBufferPool) -> Bitmap {
    Self.edited(shown, size: reader.canvas, isOpaque: false, shown.colorSpace, pool) { target, wordsPerRow in
      for y in frame.y..<frame.y + frame.size.height {
        for x in frame.x..<frame.x + frame.size.width { target[y * wordsPerRow + x] = 0 }
      }
    }
  }

  private func edited(
    isOpaque: Bool, _ colorSpace: ColorSpaceTag, _ pool: PixelBufferPool,
    _ edit: (UnsafeMutableBufferPointer<UInt32>, Int) -> Void
  ) -> Bitmap {
    Self.edited(canvas, size: reader.canvas, isOpaque: isOpaque, colorSpace, pool, edit)
  }

  /// A copy of a canvas, or a transparent one, with changes. The memory is the new bitmap's own until it is made,
  /// and regions lie on the canvas, as `AnimationFrame` demands.
  private static func edited(
    _ canvas: Bitmap?, size: PixelSize, isOpaque: Bool, _ colorSpace: ColorSpaceTag, _ pool: PixelBufferPool,
    _ edit: (UnsafeMutableBufferPointer<UInt32>, Int) -> Void
  ) -> Bitmap {
    Bitmap(size: size, isOpaque: isOpaque, colorSpace: colorSpace, pool: pool) { bytes, bytesPerRow in
      if let canvas {
        canvas.withUnsafeBytes { bytes.copyMemory(from: $0) }
      } else {
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
      }
      edit(bytes.bindMemory(to: UInt32.self), bytesPerRow / 4)
    }
  }
}
