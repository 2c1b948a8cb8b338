import OzuBase
import OzuImaging

/// Writes the blocks of a GIF (GIF89a specification): only the changed area of each frame.
///
/// A frame is painted over the canvas, without the pixels that are already there. Only the disposal of the previous
/// frame can remove a pixel, so a frame is written when the next one is known. If pixels disappear, the region of
/// the frame is enlarged to contain them and is cleared after it. So two canvases are held: the one that the frame
/// is painted on, and the one that it shows.
final class GIFAnimationWriter: AnimationWriting {
  private struct Pending {
    /// The canvas that it is painted on.
    var base: BGRABitmap
    /// The canvas that it shows.
    var shown: BGRABitmap
    var region: PixelRectangle
    var duration: Duration
  }

  /// The space for header, colours and loop count, which are known only at the end.
  private static let headByteCount = 13 + 3 * 256 + 19

  private let loopCount: Int
  private let effort: EncodingOptions.Effort
  private var admission: FrameAdmission
  private var clock = FrameClock(unit: .milliseconds(10), playableCount: 2, limit: 65_535)
  /// The colours of all frames that fit into one table.
  private var sharedColors = ColorTable()
  private var pending: Pending?
  private var writtenFrameCount = 0
  private var file = Data(count: headByteCount)

  init(canvas: PixelSize, loopCount: Int, effort: EncodingOptions.Effort) throws(ImageEncodingError) {
    admission = try FrameAdmission(.gif, canvas: canvas, sideLimit: GIFEncoder.sideLimit)
    (self.loopCount, self.effort) = (loopCount, effort)
  }

  var byteCount: Int { file.count }

  func append(_ frame: Bitmap, duration: Duration) throws(ImageEncodingError) {
    try admission.admit(frame)
    let (next, duration) = (BGRABitmap(frame).withoutTranslucency(), FrameClock.clamped(duration))
    guard var current = pending else {
      pending = Pending(
        base: BGRABitmap(size: admission.canvas, isOpaque: false) { _, _ in }, shown: next,
        region: PixelRectangle(admission.canvas), duration: duration)
      return
    }
    guard let change = PixelRectangle(changesFrom: current.shown, to: next) else {
      if clock.holds(current.duration + duration) {
        pending?.duration += duration
      } else {
        write(current, disposal: .keep)
        pending = Pending(
          base: current.shown, shown: next, region: PixelRectangle(x: 0, y: 0, width: 1, height: 1),
          duration: duration)
      }
      return
    }
    guard let vanished = PixelRectangle(vanishingFrom: current.shown, to: next, within: change) else {
      write(current, disposal: .keep)
      pending = Pending(base: current.shown, shown: next, region: change, duration: duration)
      return
    }
    current.region = current.region.united(with: vanished)
    write(current, disposal: .clear)
    let base = current.shown.clearing(current.region)
    pending = Pending(
      base: base, shown: next,
      // If nothing is left to paint, the frame is one pixel, so that its duration is written.
      region: PixelRectangle(changesFrom: base, to: next)
        ?? PixelRectangle(x: 0, y: 0, width: 1, height: 1),
      duration: duration)
  }

  func finish() throws(ImageEncodingError) -> Data {
    try admission.finish()
    if let pending { write(pending, disposal: .keep) }
    pending = nil
    file.append(0x3B)
    var finished = file
    file = Data()
    finished.replaceSubrange(..<Self.headByteCount, with: head)
    return finished
  }

  /// Header, logical screen and global colours (§17 to §19), and the extension with the loop count.
  private var head: [UInt8] {
    var bytes = Array("GIF89a".utf8)
    bytes += admission.canvas.width.littleEndianBytes(2) + admission.canvas.height.littleEndianBytes(2)
    // Without a shared table, each image has its own.
    bytes += sharedColors.count > 0 ? [0xF0 | UInt8(sharedColors.bitCount - 1), 0, 0] : [0x70, 0, 0]
    if sharedColors.count > 0 { bytes += sharedColors.bytes }
    if writtenFrameCount > 1, loopCount != 1 {
      // The extension counts repetitions.
      let count = loopCount == 0 ? 0 : min(loopCount - 1, 65_535)
      bytes += [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1] + count.littleEndianBytes(2) + [0]
    }
    return bytes
  }

  private func write(_ frame: Pending, disposal: AnimationFrame.Disposal) {
    let image = GIFImage(
      frame.shown, over: frame.base, region: frame.region, clears: disposal == .clear,
      sharing: &sharedColors, effort: effort)
    let isTransparent = image.transparentIndex != nil
    let flags = (disposal == .clear ? 2 : 1) << 2 | (isTransparent ? 1 : 0)
    let delay = clock.count(of: frame.duration)
    var bytes: [UInt8] = [0x21, 0xF9, 4, UInt8(flags)]
    bytes += delay.littleEndianBytes(2) + [UInt8(image.transparentIndex ?? 0), 0]
    let region = frame.region
    bytes.append(0x2C)
    for value in [region.x, region.y, region.size.width, region.size.height] {
      bytes += value.littleEndianBytes(2)
    }
    if let colors = image.ownColors {
      bytes.append(0x80 | UInt8(colors.bitCount - 1))
      bytes += colors.bytes
    } else {
      bytes.append(0)
    }
    file.append(contentsOf: bytes)
    var codes = GIFCodeWriter(indexBitCount: image.indexBitCount)
    codes.write(image.indices, to: &file)
    writtenFrameCount += 1
  }
}

/// Compresses the indices of one GIF image: LZW with codes of growing length, in blocks of up to 255 bytes (GIF89a
/// specification, appendix F). `GIFCodes` reads them.
///
/// The table of strings is a hash table of pairs (code of the prefix, index). When it is full, it is cleared.
struct GIFCodeWriter {
  private static let codeLimit = 4096
  private static let slotCount = 1 << 14
  private static let empty = UInt32.max

  private let minimumCodeSize: Int
  /// A pair in the upper 20 bits, its code in the lower 12.
  private var slots = [UInt32](repeating: empty, count: slotCount)
  private var bits: UInt64 = 0
  private var bitCount = 0
  private var block: [UInt8] = []

  /// - Parameter indexBitCount: from 1 to 8. The format has a minimum of two bits, and codes are one bit longer.
  init(indexBitCount: Int) {
    minimumCodeSize = max(2, indexBitCount)
    block.reserveCapacity(255)
  }

  /// Appends the minimum code size, the blocks, and the empty block at the end.
  mutating func write(_ indices: [UInt8], to file: inout Data) {
    file.append(UInt8(minimumCodeSize))
    let clear = 1 << minimumCodeSize
    let end = clear + 1
    var codeSize = minimumCodeSize + 1
    var nextCode = end + 1
    append(clear, codeSize, to: &file)
    var prefix = -1
    for index in indices {
      guard prefix >= 0 else {
        prefix = Int(index)
        continue
      }
      let pair = UInt32(prefix) << 8 | UInt32(index)
      var slot = Int((pair &* 0x9E37_79B1) >> 18)
      while slots[slot] != Self.empty, slots[slot] >> 12 != pair {
        slot = (slot + 1) & (Self.slotCount - 1)
      }
      if slots[slot] != Self.empty {
        prefix = Int(slots[slot] & 0xFFF)
        continue
      }
      append(prefix, codeSize, to: &file)
      prefix = Int(index)
      if nextCode < Self.codeLimit {
        slots[slot] = pair << 12 | UInt32(nextCode)
        // The reader defines the same code one step later, and reads longer codes from then on.
        if nextCode == 1 << codeSize { codeSize += 1 }
        nextCode += 1
      } else {
        append(clear, codeSize, to: &file)
        for slot in slots.indices { slots[slot] = Self.empty }
        codeSize = minimumCodeSize + 1
        nextCode = end + 1
      }
    }
    if prefix >= 0 {
      append(prefix, codeSize, to: &file)
      // The reader has defined a code for this string too.
      if nextCode == 1 << codeSize, codeSize < 12 { codeSize += 1 }
    }
    append(end, codeSize, to: &file)
    flush(to: &file)
  }

  private mutating func append(_ code: Int, _ codeSize: Int, to file: inout Data) {
    bits |= UInt64(code) << UInt64(bitCount)
    bitCount += codeSize
    while bitCount >= 8 {
      appendByte(to: &file)
      bitCount -= 8
    }
  }

  private mutating func appendByte(to file: inout Data) {
    block.append(UInt8(truncatingIfNeeded: bits))
    bits >>= 8
    guard block.count == 255 else { return }
    file.append(255)
    file.append(contentsOf: block)
    block.removeAll(keepingCapacity: true)
  }

  private mutating func flush(to file: inout Data) {
    if bitCount > 0 { appendByte(to: &file) }
    bitCount = 0
    if !block.isEmpty {
      file.append(UInt8(block.count))
      file.append(contentsOf: block)
      block.removeAll(keepingCapacity: true)
    }
    file.append(0)
  }
}

/// Writes GIF (GIF89a specification), in Swift: still and animated.
///
/// A frame of at most 256 colours keeps them exactly, so a GIF that was read is written with the same colours. For
/// more colours, 256 are chosen for each frame, with error diffusion. Pixels of at least half opacity become opaque, in
/// their own colour; the others become transparent.
public struct GIFEncoder: ImageEncoding, AnimationEncoding {
  static let sideLimit = 65_535

  /// Makes an encoder.
  public init() {}

  /// GIF.
  public var type: ImageType { .gif }

  /// Always true: a pixel is either opaque or wholly transparent.
  public var keepsAlpha: Bool { true }

  /// Always false.
  public var hasQuality: Bool { false }

  /// Encodes a bitmap as a still GIF. Of the options only `effort` is used: how long the encoder looks for good
  /// colours.
  ///
  /// - Throws: `tooLarge` above 65,535 pixels a side.
  public func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(ImageEncodingError) -> Data {
    let writer = try makeWriter(canvas: bitmap.size, loopCount: 1, options: options)
    try writer.append(bitmap, duration: .zero)
    return try writer.finish()
  }

  /// Begins an animated GIF.
  ///
  /// - Throws: `tooLarge` above 65,535 pixels a side.
  public func makeWriter(
    canvas: PixelSize, loopCount: Int, options: EncodingOptions
  ) throws(ImageEncodingError) -> any AnimationWriting {
    try GIFAnimationWriter(canvas: canvas, loopCount: loopCount, effort: options.effort)
  }
}
