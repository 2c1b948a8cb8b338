import CCodecs
import OzuBase
import OzuCodecs
import OzuImaging

/// Writes an animated PNG (W3C PNG, third edition, §4.9): the first frame as the picture of the file, and the
/// changed area of each further frame.
///
/// All frames have the pixel format of the first, with or without alpha. None has a palette: all frames would share it,
/// and the colours of later frames are not known when the first is written. So the first frame is written when the
/// second is known: without alpha if both are opaque and share few pixels that alpha could leave out. If
/// transparency comes later, the frames written so far are decoded and written again, once.
///
/// Values that are known later are written later: the number of frames into acTL, the delay of a frame into its
/// fcTL when the next frame looks different.
///
/// Unsafe: `file` is memory of C, which this object owns until `finish`. Only `overwrite` changes its bytes, and it
/// compares the place with `file.count`.
final class PNGAnimationWriter: AnimationWriting {
  private static let animationControlByteCount = 8
  /// From this share of unchanged pixels on, alpha saves more bytes than it costs.
  private static let sharedShare = 0.4

  private let encoder = PNGEncoder()
  private let options: EncodingOptions
  private let loopCount: Int
  private var admission: FrameAdmission
  private var clock = FrameClock(
    unit: .milliseconds(1), playableCount: 11, limit: PNGFrameControl.longestDelay)
  var file = OzuBytes()
  private var hasAlpha = false
  /// The offset of acTL.
  private var animationControlOffset = 0
  /// The canvas of the last frame.
  private var shown: BGRABitmap?
  /// The duration of the first frame while it is the only one; nothing is written until then.
  private var firstDuration: Duration?
  /// The control of the last frame that was written, and its offset.
  var control: (content: PNGFrameControl, offset: Int, duration: Duration)?
  var writtenFrameCount = 0
  var sequenceNumber: UInt32 = 0

  init(canvas: PixelSize, loopCount: Int, options: EncodingOptions) throws(ImageEncodingError) {
    admission = try FrameAdmission(.png, canvas: canvas, sideLimit: Int(Int32.max))
    try options.metadata.checkProfile(for: .png)
    (self.loopCount, self.options) = (loopCount, options)
  }

  deinit { free(file.bytes) }

  var byteCount: Int { file.count }

  func append(_ frame: Bitmap, duration: Duration) throws(ImageEncodingError) {
    try admission.admit(frame)
    let frame = BGRABitmap(PNGEncoder.reduced(frame, options))
    let duration = FrameClock.clamped(duration)
    do throws(PNGDeflater.Failure) {
      try append(frame, duration)
    } catch {
      admission.close()
      throw .failed(.png, reason: "out of memory")
    }
  }

  func finish() throws(ImageEncodingError) -> Data {
    try admission.finish()
    // All frames looked equal: the file is a still picture.
    if let shown, firstDuration != nil { return try encoder.encode(shown.bitmap, options: options) }
    shown = nil
    do throws(PNGDeflater.Failure) {
      endDelay()
      writeFrameCount()
      try PNGChunkWriter.append(chunk: "IEND", [UInt8](), to: &file)
    } catch {
      throw .failed(.png, reason: "out of memory")
    }
    let written = file
    file = OzuBytes()
    guard let data = written.data() else { throw .failed(.png, reason: "out of memory") }
    return data
  }

  private func append(_ frame: BGRABitmap, _ duration: Duration) throws(PNGDeflater.Failure) {
    guard let before = shown else {
      (shown, firstDuration) = (frame, duration)
      return
    }
    guard let change = PNGFrameChange(from: before, to: frame) else {
      try prolong(before, duration)
      return
    }
    if let firstDuration {
      let isOpaque = before.hasOpaquePixels && frame.hasOpaquePixels
      try writeFirst(
        before, firstDuration, hasAlpha: !isOpaque || change.unchangedShare >= Self.sharedShare)
    } else if !hasAlpha, !frame.hasOpaquePixels {
      try addAlpha()
    }
    endDelay()
    shown = frame
    let replaced = try plan(of: change.replaced)
    if hasAlpha, let paintedOver = change.paintedOver {
      let holed = try plan(of: paintedOver)
      if try holed.byteCount() < replaced.byteCount() {
        try begin(change.rectangle, .over, duration)
        try write(holed)
        return
      }
    }
    try begin(change.rectangle, .source, duration)
    try write(replaced)
  }

  /// Shows the last canvas longer: by a longer delay if possible, and else by a frame that changes nothing.
  private func prolong(_ canvas: BGRABitmap, _ duration: Duration) throws(PNGDeflater.Failure) {
    if let firstDuration {
      if clock.holds(firstDuration + duration) {
        self.firstDuration = firstDuration + duration
        return
      }
      try writeFirst(canvas, firstDuration, hasAlpha: !canvas.hasOpaquePixels)
    } else if let control, clock.holds(control.duration + duration) {
      self.control?.duration += duration
      return
    }
    endDelay()
    let corner = PixelRectangle(x: 0, y: 0, width: 1, height: 1)
    let pixel = canvas.part(corner)
    try begin(corner, .source, duration)
    try write(plan(of: pixel))
  }

  private func writeFirst(
    _ frame: BGRABitmap, _ duration: Duration, hasAlpha: Bool
  ) throws(PNGDeflater.Failure) {
    firstDuration = nil
    try writeHead(hasAlpha: hasAlpha)
    try begin(PixelRectangle(frame.size), .source, duration)
    try write(plan(of: frame))
  }

  func writeHead(hasAlpha: Bool) throws(PNGDeflater.Failure) {
    self.hasAlpha = hasAlpha
    try PNGChunkWriter.appendHeader(admission.canvas, bitDepth: 8, colorType: hasAlpha ? 6 : 2, to: &file)
    try PNGChunkWriter.append(options.metadata, isGray: false, .sRGB, to: &file)
    animationControlOffset = file.count
    try PNGChunkWriter.append(
      chunk: "acTL", [UInt8](repeating: 0, count: Self.animationControlByteCount), to: &file)
  }

  func writeFrameCount() {
    overwrite(
      animationControlOffset, "acTL",
      writtenFrameCount.bigEndianBytes(4) + Int32(clamping: loopCount).bigEndianBytes(4))
  }

  /// Appends the control of a frame; its delay is not known yet.
  func begin(
    _ rectangle: PixelRectangle, _ blend: AnimationFrame.Blend, _ duration: Duration
  ) throws(PNGDeflater.Failure) {
    let content = PNGFrameControl(sequenceNumber: nextNumber(), rectangle: rectangle, blend: blend)
    control = (content, file.count, duration)
    try PNGChunkWriter.append(chunk: "fcTL", content.content, to: &file)
    writtenFrameCount += 1
  }

  /// Writes the delay of the last frame, after a different frame has come.
  private func endDelay() {
    guard var last = control else { return }
    last.content.delay = clock.count(of: last.duration)
    overwrite(last.offset, "fcTL", last.content.content)
    control = nil
  }

  private func nextNumber() -> UInt32 {
    defer { sequenceNumber += 1 }
    return sequenceNumber
  }

  func plan(of frame: BGRABitmap) throws(PNGDeflater.Failure) -> PNGPlan {
    let layout = PNGLayout(frame.bitmap, hasAlpha: hasAlpha)
    return try PNGPlan([PNGStoredRows(bitmap: frame.bitmap, layout: layout)], effort: options.effort)
  }

  /// Appends the pixels of a frame: of the first as IDAT, of others as fdAT.
  func write(_ plan: PNGPlan) throws(PNGDeflater.Failure) {
    let isFirst = writtenFrameCount == 1
    try plan.deflate { (piece) throws(PNGDeflater.Failure) in
      try PNGChunkWriter.append(
        chunk: isFirst ? "IDAT" : "fdAT", prefix: isFirst ? [] : nextNumber().bigEndianBytes(4), piece,
        to: &file)
    }
  }

  /// Overwrites the chunk at an offset with another content of the same length, and its checksum.
  func overwrite(_ offset: Int, _ name: String, _ content: [UInt8]) {
    let body = Array(name.utf8) + content
    let sum = body.withUnsafeBufferPointer { ozu_crc32($0.baseAddress, $0.count) }
    let bytes = body + sum.bigEndianBytes(4)
    precondition(offset >= 0 && offset + 4 + bytes.count <= file.count, "a chunk that was written")
    guard let start = file.bytes else { return }
    (start + offset + 4).update(from: bytes, count: bytes.count)
  }
}

extension BGRABitmap {
  /// Whether all pixels are opaque, by looking at them.
  fileprivate var hasOpaquePixels: Bool { isOpaque || !bitmap.hasTransparentPixel }
}

extension PNGAnimationWriter {
  /// Writes the file again with alpha, up to the current frame. Both files are in memory meanwhile.
  func addAlpha() throws(PNGDeflater.Failure) {
    let duration = control?.duration
    writeFrameCount()
    let old = file
    file = OzuBytes()
    guard let data = old.data() else { throw PNGDeflater.Failure() }
    (writtenFrameCount, sequenceNumber, control) = (0, 0, nil)
    try writeHead(hasAlpha: true)
    do throws(ImageDecodingError) {
      // This object has written the file, so no limits are needed.
      let limits = DecodingLimits(
        pixelCount: .max, side: .max, decodedByteCount: .max, frameCount: .max, encodedByteCount: .max,
        cpuTime: .seconds(1 << 40))
      guard let reader = try PNGDecoder().open(data, limits: limits).frames(limits: limits) else {
        throw .corrupt(.png, stage: "frames", reason: "the file that was just written has no frames")
      }
      for (index, frame) in reader.frames.enumerated() {
        let pixels = BGRABitmap(try reader.decodeFrame(at: index, context: DecodingContext(limits: limits)))
        let place = PixelRectangle(
          x: frame.x, y: frame.y, width: frame.size.width, height: frame.size.height)
        // Delays are whole milliseconds already, except for the last, which may still grow.
        if var last = control {
          last.content.delay = Int(
            clamping: last.duration / .milliseconds(1), rounded: .toNearestOrAwayFromZero)
          overwrite(last.offset, "fcTL", last.content.content)
        }
        let result = Result { () throws(PNGDeflater.Failure) in
          try begin(place, .source, frame.delay)
          try write(plan(of: pixels))
        }
        guard case .success = result else {
          throw .corrupt(.png, stage: "frames", reason: "a frame could not be written again")
        }
      }
    } catch {
      throw PNGDeflater.Failure()
    }
    if let duration { control?.duration = duration }
  }
}
