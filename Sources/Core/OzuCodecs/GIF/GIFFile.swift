import OzuImaging

/// The facts in the blocks of a GIF (GIF89a specification). Nothing is decompressed.
struct GIFFile: Sendable {
  struct Image: Sendable {
    /// The frame that it paints, clipped to the canvas.
    var frame: AnimationFrame?
    /// Whether any part of it lies on the canvas.
    var isVisible = true
    /// The place of its pixels; some may be outside the canvas.
    var x = 0
    var y = 0
    var size = PixelSize(0, 0)
    var isInterlaced = false
    var transparentIndex: Int?
    /// The range of its colours in the file, three bytes each.
    var palette: Range<Int>
    var minimumCodeSize = 0
    var codes = 0
    /// Whether all its blocks of codes are there.
    var isWhole = false
  }

  private(set) var canvas = PixelSize(0, 0)
  /// The first pictures, up to the limit.
  private(set) var images: [Image] = []
  /// The number of pictures, up to the limit of `ImageHeader.frameCount`.
  private(set) var imageCount = 0
  /// How many times the animation is played; 0 means without end.
  private(set) var loopCount = 1
  private(set) var xmp: Range<Int>?
  /// Whether the file ends before its trailer block.
  private(set) var isCut = false
  /// The number of the picture in which it ends, or before which in its extension; `nil` if it does not.
  private(set) var cutImage: Int?

  static let stage = "header"

  private enum Block {
    static let image: UInt8 = 0x2C
    static let `extension`: UInt8 = 0x21
    static let end: UInt8 = 0x3B
    static let graphicControl: UInt8 = 0xF9
    static let application: UInt8 = 0xFF
  }

  /// The last graphic control extension, which describes the next image (§23).
  private struct Control {
    var disposal = AnimationFrame.Disposal.keep
    /// The delay of a frame without a control extension, as in most readers.
    var delay = Duration.milliseconds(100)
    var transparentIndex: Int?
  }

  /// Reads the structure of all blocks.
  ///
  /// - Parameter frameLimit: the most pictures that are kept. Pictures after that are only counted. The first is
  ///   always kept.
  /// - Throws: `truncated` in the stage `header`.
  init(_ bytes: Span<UInt8>, frameLimit: Int) throws(ImageDecodingError) {
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
        if let end = Self.endOfSubblocks(bytes, at: position + 2) {
          if xmp == nil { xmp = Self.xmp(bytes, at: position, end: end) }
          position = end
        } else {
          if bytes.byte(at: position + 1) == Block.graphicControl { cutImage = imageCount }
          position = bytes.count
        }
      case Block.image:
        guard let end = readImage(bytes, at: position + 1, control, globalPalette) else {
          (isCut, cutImage) = (true, imageCount)
          break blocks
        }
        if images.last?.isWhole == false { cutImage = imageCount }
        position = end
        control = Control()
        if images.count > max(1, frameLimit) { images.removeLast() }
        imageCount += 1
        if imageCount == ImageHeader.largestFrameCount { break blocks }
      // Some writers leave zeros between blocks; another byte ends the valid part of the file.
      case 0: position += 1
      default: break blocks
      }
    }
    // The canvas grows to contain the first picture, as in browsers, because some writers do not set its size.
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

  /// The extension of Netscape for the loop count.
  private mutating func readApplication(_ bytes: Span<UInt8>, at offset: Int) {
    guard bytes.byte(at: offset) == 11 else { return }
    if bytes.hasBytes("NETSCAPE2.0", at: offset + 1) || bytes.hasBytes("ANIMEXTS1.0", at: offset + 1) {
      guard bytes.byte(at: offset + 12) == 3, bytes.byte(at: offset + 13) == 1,
        let count = bytes.littleEndian(at: offset + 14, bytes: 2)
      else { return }
      // The extension counts repetitions; browsers and libwebp read it in this way.
      loopCount = count == 0 ? 0 : count + 1
    }
  }

  /// The packet of XMP in an extension, where it stands as it is, before 258 bytes that lead readers of sub-blocks to its end
  /// (XMP Specification, part 3, §1.1.2).
  private static func xmp(_ bytes: Span<UInt8>, at offset: Int, end: Int) -> Range<Int>? {
    let start = offset + 14
    guard bytes.byte(at: offset + 1) == Block.application, bytes.hasBytes("XMP DataXMP", at: offset + 3),
      start <= end - 258
    else { return nil }
    return start..<end - 258
  }

  /// The end of the chain of sub-blocks at an offset; `nil` if the file ends before it.
  static func endOfSubblocks(_ bytes: Span<UInt8>, at offset: Int) -> Int? {
    var position = offset
    while let byteCount = bytes.byte(at: position) {
      position += 1 + Int(byteCount)
      if byteCount == 0 { return position }
    }
    return nil
  }

  /// Reads an image descriptor (§20). Returns the end of the image; `nil` if its header is not complete.
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
    image.frame = AnimationFrame(
      size: image.size, delay: control.delay, disposal: control.disposal, blend: .over)
    let end = Self.endOfSubblocks(bytes, at: image.codes)
    image.isWhole = end != nil
    images.append(image)
    return end ?? bytes.count
  }

  /// Clips the frame of an image to the canvas. A frame outside the canvas becomes one transparent pixel, so that
  /// its delay stays a part of the animation; nothing of it is cleared or restored.
  ///
  /// Static: a method would hold a copy of the file while an image is changed, and so copy the array of all images
  /// for each.
  private static func clip(_ image: inout Image, to canvas: PixelSize) {
    let width = min(image.x + image.size.width, canvas.width) - image.x
    let height = min(image.y + image.size.height, canvas.height) - image.y
    image.isVisible = width > 0 && height > 0
    image.frame?.x = image.isVisible ? image.x : 0
    image.frame?.y = image.isVisible ? image.y : 0
    image.frame?.size = image.isVisible ? PixelSize(width, height) : PixelSize(1, 1)
    if !image.isVisible { image.frame?.disposal = .keep }
  }
}
