import OzuImaging

/// What the blocks of a GIF say (GIF89a specification), read without decompressing anything.
struct GIFFile: Sendable {
  /// A picture of the file.
  struct Image: Sendable {
    /// What it paints, as far as it lies on the canvas.
    var frame: AnimationFrame?
    /// Whether any of it lies on the canvas.
    var isVisible = true
    /// Where its pixels lie, part of them perhaps beside the canvas.
    var x = 0
    var y = 0
    var size = PixelSize(0, 0)
    var isInterlaced = false
    /// The index that paints nothing.
    var transparentIndex: Int?
    /// Where its colours stand, three bytes each.
    var palette: Range<Int>
    var minimumCodeSize = 0
    /// Where its first block of codes stands.
    var codes = 0
    /// Whether its blocks of codes are all there.
    var isWhole = false
  }

  private(set) var canvas = PixelSize(0, 0)
  /// The first pictures, as many as are wanted.
  private(set) var images: [Image] = []
  /// How many pictures there are, as far as `ImageHeader` counts frames.
  private(set) var imageCount = 0
  /// How often the animation is to be played; 0 for ever.
  private(set) var loopCount = 1
  /// Whether the blocks end without the mark that ends them.
  private(set) var isCut = false

  static let stage = "header"

  private enum Block {
    static let image: UInt8 = 0x2C
    static let `extension`: UInt8 = 0x21
    static let end: UInt8 = 0x3B
    static let graphicControl: UInt8 = 0xF9
    static let application: UInt8 = 0xFF
  }

  /// What the last graphic control extension says of the next image (§23).
  private struct Control {
    var disposal = AnimationFrame.Disposal.keep
    /// Frames without a control have this one, as most readers take it.
    var delay = Duration.milliseconds(100)
    var transparentIndex: Int?
  }

  /// Steps through the blocks.
  ///
  /// - Parameter frameLimit: pictures beyond so many are counted and not kept. The first is always kept.
  /// - Throws: `truncated` in the stage `header`.
  init(_ bytes: Span<UInt8>, frameLimit: Int) throws(DecodingError) {
    guard let width = bytes.littleEndian(at: 6, bytes: 2), let height = bytes.littleEndian(at: 8, bytes: 2),
      let flags = bytes.byte(at: 10), bytes.count >= 13
    else { throw .truncated(.gif, stage: Self.stage) }
    canvas = PixelSize(width, height)
    var position = 13
    var globalPalette = position..<position
    if flags & 0x80 != 0 {
      globalPalette = position..<position + Self.paletteByteCount(flags)
      position = globalPalette.upperBound
    }
    guard position <= bytes.count else { throw .truncated(.gif, stage: Self.stage) }
    var control = Control()
    blocks: while true {
      guard let kind = bytes.byte(at: position) else {
        isCut = true
        break
      }
      switch kind {
      case Block.end: break blocks
      case Block.extension:
        if bytes.byte(at: position + 1) == Block.graphicControl {
          control = Self.control(bytes, at: position + 2) ?? control
        } else if bytes.byte(at: position + 1) == Block.application {
          readApplication(bytes, at: position + 2)
        }
        position = Self.endOfSubblocks(bytes, at: position + 2) ?? bytes.count
      case Block.image:
        guard let end = readImage(bytes, at: position + 1, control, globalPalette) else {
          isCut = true
          break blocks
        }
        position = end
        control = Control()
        if images.count > max(1, frameLimit) { images.removeLast() }
        imageCount += 1
        if imageCount == ImageHeader.largestFrameCount { break blocks }
      // Some writers leave zeros between blocks; other bytes are the end of what makes sense.
      case 0: position += 1
      default: break blocks
      }
    }
    // The screen grows with the first picture, as browsers have it: writers forget to set it.
    guard let first = images.first else { return }
    canvas = PixelSize(
      max(canvas.width, first.x + first.size.width), max(canvas.height, first.y + first.size.height))
    guard !canvas.isEmpty else { return }
    for index in images.indices { Self.clip(&images[index], to: canvas) }
  }

  /// Whether the first picture paints every pixel of the canvas.
  var isOpaque: Bool {
    guard let first = images.first else { return false }
    return first.transparentIndex == nil && first.isVisible && first.frame?.size == canvas
  }

  private static func paletteByteCount(_ flags: UInt8) -> Int { 3 << Int(flags & 7 + 1) }

  private static func control(_ bytes: Span<UInt8>, at offset: Int) -> Control? {
    guard let byteCount = bytes.byte(at: offset), byteCount >= 4, let flags = bytes.byte(at: offset + 1),
      let hundredths = bytes.littleEndian(at: offset + 2, bytes: 2), let index = bytes.byte(at: offset + 4)
    else { return nil }
    let disposals: [UInt8: AnimationFrame.Disposal] = [2: .clear, 3: .restore]
    return Control(
      disposal: disposals[flags >> 2 & 7] ?? .keep, delay: .milliseconds(hundredths * 10),
      transparentIndex: flags & 1 == 1 ? Int(index) : nil)
  }

  /// The extension that Netscape made up for repeating.
  private mutating func readApplication(_ bytes: Span<UInt8>, at offset: Int) {
    guard bytes.byte(at: offset) == 11 else { return }
    if bytes.hasBytes("NETSCAPE2.0", at: offset + 1) || bytes.hasBytes("ANIMEXTS1.0", at: offset + 1) {
      guard bytes.byte(at: offset + 12) == 3, bytes.byte(at: offset + 13) == 1,
        let count = bytes.littleEndian(at: offset + 14, bytes: 2)
      else { return }
      // It counts repetitions, as browsers and libwebp have it.
      loopCount = count == 0 ? 0 : count + 1
    }
  }

  /// Where the chain of sub-blocks at an offset ends; `nil` when the file ends before.
  private static func endOfSubblocks(_ bytes: Span<UInt8>, at offset: Int) -> Int? {
    var position = offset
    while let byteCount = bytes.byte(at: position) {
      position += 1 + Int(byteCount)
      if byteCount == 0 { return position }
    }
    return nil
  }

  /// Reads an image descriptor (§20); returns where the image ends, `nil` when its header is not all there.
  private mutating func readImage(
    _ bytes: Span<UInt8>, at offset: Int, _ control: Control, _ globalPalette: Range<Int>
  ) -> Int? {
    func field(_ at: Int) -> Int? { bytes.littleEndian(at: offset + at, bytes: 2) }
    guard let x = field(0), let y = field(2), let width = field(4), let height = field(6),
      let flags = bytes.byte(at: offset + 8)
    else { return nil }
    var position = offset + 9
    var image = Image(
      x: x, y: y, size: PixelSize(width, height), isInterlaced: flags & 0x40 != 0,
      transparentIndex: control.transparentIndex, palette: globalPalette)
    if flags & 0x80 != 0 {
      image.palette = position..<position + Self.paletteByteCount(flags)
      position = image.palette.upperBound
    }
    guard let codeSize = bytes.byte(at: position) else { return nil }
    image.minimumCodeSize = Int(codeSize)
    image.codes = position + 1
    let whole = AnimationFrame(
      size: image.size, delay: control.delay, disposal: control.disposal, blend: .over)
    image.frame = whole
    let end = Self.endOfSubblocks(bytes, at: image.codes)
    image.isWhole = end != nil
    images.append(image)
    return end ?? bytes.count
  }

  /// Cuts the frame of an image down to what lies on the canvas. A frame that lies beside it still takes its time:
  /// then it is one pixel of nothing.
  ///
  /// Static: a method would hold a copy of the file while an image is changed, and so of all images for each.
  private static func clip(_ image: inout Image, to canvas: PixelSize) {
    let width = min(image.x + image.size.width, canvas.width) - image.x
    let height = min(image.y + image.size.height, canvas.height) - image.y
    image.isVisible = width > 0 && height > 0
    image.frame?.x = image.isVisible ? image.x : 0
    image.frame?.y = image.isVisible ? image.y : 0
    image.frame?.size = image.isVisible ? PixelSize(width, height) : PixelSize(1, 1)
  }
}
