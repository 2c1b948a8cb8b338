/// Puts the frames of an animation on their canvas, one after the other.
///
/// Canvases are immutable bitmaps: what a frame disposes of is a canvas that is kept, not one that is repaired, and
/// a frame that covers everything is its own canvas, without a copy. Going back starts again at the last frame
/// that depends on none before it.
struct FrameComposer {
  /// What the reader said when it was asked: its answers may change, and memory is taken and written by these.
  let frames: [AnimationFrame]
  let size: PixelSize
  let loopCount: Int

  private let reader: any AnimationFrameReading
  private let blending: FrameBlending
  /// The number of the frame that comes next.
  private var position = 0
  /// What the next frame is painted on; `nil` for a transparent canvas.
  private var canvas: Bitmap?

  init(_ reader: any AnimationFrameReading, blending: FrameBlending) {
    self.reader = reader
    frames = reader.frames
    size = reader.canvas
    loopCount = reader.loopCount
    self.blending = blending
  }

  /// Why the frames make no animation of a picture, in words; `nil` when they do.
  func flaw(for picture: PixelSize) -> String? {
    if size != picture { return "its frames are for a canvas of \(size)" }
    if frames.count < 2 { return "it has \(frames.count) frames" }
    guard let outside = frames.firstIndex(where: { !$0.lies(on: size) }) else { return nil }
    return "frame \(outside) lies outside its canvas of \(size)"
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
    let frame = frames[position]
    guard frame.lies(on: size) else {
      throw Self.corrupt("frame \(position) lies outside its canvas of \(size)")
    }
    let decoded = try reader.decodeFrame(at: position, context: context)
    guard decoded.size == frame.size else {
      throw Self.corrupt("frame \(position) decoded to \(decoded.size) instead of \(frame.size)")
    }
    let pixels = decoded.converted(to: .bgra8, pool: context.pool)
    let shown = paint(frame, pixels, context.pool)
    switch frame.disposal {
    case .keep: canvas = shown
    case .restore: break
    case .clear: canvas = frame.covers(size) ? nil : clear(frame, of: shown, context.pool)
    }
    position += 1
    return shown
  }

  private static func corrupt(_ reason: String) -> DecodingError {
    .corrupt(.init(rawValue: "animation"), stage: "frames", reason: reason)
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

  private func paint(_ frame: AnimationFrame, _ pixels: Bitmap, _ pool: PixelBufferPool) -> Bitmap {
    let isReplaced =
      frame.covers(size) && (frame.blend == .source || pixels.isOpaque || canvas == nil)
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
    Self.edited(shown, size: size, isOpaque: false, shown.colorSpace, pool) { target, wordsPerRow in
      for y in frame.y..<frame.y + frame.size.height {
        for x in frame.x..<frame.x + frame.size.width { target[y * wordsPerRow + x] = 0 }
      }
    }
  }

  private func edited(
    isOpaque: Bool, _ colorSpace: ColorSpaceTag, _ pool: PixelBufferPool,
    _ edit: (UnsafeMutableBufferPointer<UInt32>, Int) -> Void
  ) -> Bitmap {
    Self.edited(canvas, size: size, isOpaque: isOpaque, colorSpace, pool, edit)
  }

  /// A copy of a canvas, or a transparent one, with changes.
  ///
  /// Why nothing is written outside: the memory is the new bitmap's own until it is made, and has `size` pixels of
  /// `bgra8`, as the canvas has that is copied. `next` throws before it paints a frame that does not lie on a canvas of
  /// `size`, whose pixels are not of the frame's size, or not of `bgra8`.
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
