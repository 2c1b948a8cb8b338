import CCodecs
import OzuCodecs
import OzuImaging

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Writes an animated PNG (W3C PNG, third edition, §4.9): the first frame as the picture of the file, and of each further
/// one what changed.
///
/// What is known later is written later: the number of frames into acTL, the delay of a frame into its fcTL when the next
/// frame looks different.
///
/// Unsafe: `file` is memory of C, which this object owns until `finish`. Its bytes are changed by `overwrite` alone, which
/// compares the place with `file.count`.
final class PNGAnimationWriter: AnimationWriting {
  private static let animationControlByteCount = 8

  private let encoder = PNGEncoder()
  private let effort: EncodingOptions.Effort
  private let loopCount: Int
  private var admission: FrameAdmission
  private var clock = FrameClock(
    unit: .milliseconds(1), playableCount: 11, limit: PNGFrameControl.longestDelay)
  private var file = OzuBytes()
  /// Where acTL stands, with the first fcTL behind it.
  private var animationControlOffset = 0
  /// The canvas of the last frame.
  private var shown: BGRABitmap?
  /// The control of the last frame, and where it stands.
  private var control: (content: PNGFrameControl, offset: Int, duration: Duration)?
  private var writtenFrameCount = 0
  private var sequenceNumber: UInt32 = 0

  init(canvas: PixelSize, loopCount: Int, effort: EncodingOptions.Effort) throws(EncodingError) {
    admission = try FrameAdmission(.png, canvas: canvas, sideLimit: Int(Int32.max))
    (self.loopCount, self.effort) = (loopCount, effort)
  }

  deinit { free(file.bytes) }

  var byteCount: Int { file.count }

  func append(_ frame: Bitmap, duration: Duration) throws(EncodingError) {
    try admission.admit(frame)
    let frame = BGRABitmap(frame)
    do throws(PNGDeflater.Failure) {
      try append(frame, duration)
    } catch {
      admission.close()
      throw .failed(.png, reason: "out of memory")
    }
  }

  func finish() throws(EncodingError) -> Data {
    try admission.finish()
    shown = nil
    do throws(PNGDeflater.Failure) {
      endDelay()
      overwrite(
        animationControlOffset, "acTL",
        UInt32(writtenFrameCount).bigEndianBytes + UInt32(Int32(clamping: loopCount)).bigEndianBytes)
      try encoder.append(chunk: "IEND", [UInt8](), to: &file)
    } catch {
      throw .failed(.png, reason: "out of memory")
    }
    let written = file
    file = OzuBytes()
    guard var data = written.data() else { throw .failed(.png, reason: "out of memory") }
    if writtenFrameCount == 1 {
      // All frames looked the same: a still picture.
      let start = animationControlOffset
      data.removeSubrange(
        start..<start + 12 + Self.animationControlByteCount + 12 + PNGFrameControl.byteCount)
    }
    return data
  }

  private func append(_ frame: BGRABitmap, _ duration: Duration) throws(PNGDeflater.Failure) {
    guard let shown else {
      try encoder.appendHeader(frame.size, bitDepth: 8, colorType: 6, to: &file)
      animationControlOffset = file.count
      try encoder.append(
        chunk: "acTL", [UInt8](repeating: 0, count: Self.animationControlByteCount), to: &file)
      try begin(PixelRectangle(frame.size), .source, duration)
      try write(frame, plan(of: frame))
      self.shown = frame
      return
    }
    guard let change = PNGFrameChange(from: shown, to: frame) else {
      // The same canvas for longer, as far as a delay can say it; else again.
      if let control, clock.holds(control.duration + duration) {
        self.control?.duration += duration
      } else {
        let corner = PixelRectangle(x: 0, y: 0, width: 1, height: 1)
        endDelay()
        try begin(corner, .over, duration)
        let nothing = BGRABitmap(size: corner.size, isOpaque: false) { _, _ in }
        try write(nothing, plan(of: nothing))
      }
      return
    }
    endDelay()
    let replacedPlan = try plan(of: change.replaced)
    if let holed = change.paintedOver {
      let holedPlan = try plan(of: holed)
      if try byteCount(holed, holedPlan) < byteCount(change.replaced, replacedPlan) {
        try begin(change.rectangle, .over, duration)
        try write(holed, holedPlan)
        self.shown = frame
        return
      }
    }
    try begin(change.rectangle, .source, duration)
    try write(change.replaced, replacedPlan)
    self.shown = frame
  }

  /// Appends the control of a frame, its delay unknown.
  private func begin(
    _ rectangle: PixelRectangle, _ blend: AnimationFrame.Blend, _ duration: Duration
  ) throws(PNGDeflater.Failure) {
    let content = PNGFrameControl(sequenceNumber: nextNumber(), rectangle: rectangle, blend: blend)
    control = (content, file.count, duration)
    try encoder.append(chunk: "fcTL", content.content, to: &file)
    writtenFrameCount += 1
  }

  /// Writes the delay of the last frame, which no equal one prolongs any more.
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

  private func plan(of frame: BGRABitmap) throws(PNGDeflater.Failure) -> PNGPlan {
    try PNGPlan(PNGStoredRows(frame.bitmap, hasAlpha: true), effort: effort)
  }

  /// The bytes that a frame takes.
  private func byteCount(_ frame: BGRABitmap, _ plan: PNGPlan) throws(PNGDeflater.Failure) -> Int {
    var count = 0
    try deflate(frame, plan) { count += $0.count }
    return count
  }

  /// Appends the pixels of a frame: of the first as IDAT, of others as fdAT.
  private func write(_ frame: BGRABitmap, _ plan: PNGPlan) throws(PNGDeflater.Failure) {
    let isFirst = writtenFrameCount == 1
    try deflate(frame, plan) { (piece) throws(PNGDeflater.Failure) in
      try encoder.append(
        chunk: isFirst ? "IDAT" : "fdAT", prefix: isFirst ? [] : nextNumber().bigEndianBytes, piece,
        to: &file)
    }
  }

  private func deflate(
    _ frame: BGRABitmap, _ plan: PNGPlan,
    flush: (UnsafeRawBufferPointer) throws(PNGDeflater.Failure) -> Void
  ) throws(PNGDeflater.Failure) {
    let deflater = try PNGDeflater(
      plan.method, isFiltered: plan.isFiltered, pieceByteCount: PNGEncoder.chunkByteCount)
    let rows = PNGStoredRows(frame.bitmap, hasAlpha: true)
    try plan.forEachRow(of: rows, 0..<frame.size.height) { (bytes, isLast) throws(PNGDeflater.Failure) in
      try deflater.deflate(bytes, isLast: isLast, flush: flush)
    }
  }

  /// Writes another content of as many bytes into the chunk at an offset, with its checksum.
  private func overwrite(_ offset: Int, _ name: String, _ content: [UInt8]) {
    let body = Array(name.utf8) + content
    let sum = body.withUnsafeBufferPointer { ozu_crc32($0.baseAddress, $0.count) }
    let bytes = body + sum.bigEndianBytes
    precondition(offset >= 0 && offset + 4 + bytes.count <= file.count, "a chunk that was written")
    guard let start = file.bytes else { return }
    (start + offset + 4).update(from: bytes, count: bytes.count)
  }
}
