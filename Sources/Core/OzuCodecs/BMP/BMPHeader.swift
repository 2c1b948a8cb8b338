import OzuImaging

/// The headers of a Windows or OS/2 bitmap, from the file header to the end of the palette.
///
/// The length of the header shows its kind: 12 bytes (OS/2 1), 16 to 64 (OS/2 2), 40 (Windows 3), 52 and 56 (with
/// masks), 108 (4), 124 (5). Fields that a shorter header does not have are zero, which is their default.
struct BMPHeader {
  enum Compression: Hashable {
    case none
    case runLength(bits: Int)
  }

  enum Container {
    /// In a file of its own, after a file header.
    case file
    /// In a file without one.
    case bareFile
    /// In an icon: no file header, and below the picture a mask of the same height.
    case icon
    /// The same with a height that does not count the mask, against the rules.
    case iconWithoutMask
  }

  let size: PixelSize
  let isTopDown: Bool
  let bitsPerPixel: Int
  let compression: Compression
  /// The masks of a pixel of 16, 24 or 32 bits.
  let masks: BMPMasks?
  /// The words of the palette; empty if pixels are not indices.
  let palette: [UInt32]
  let pixelOffset: Int
  /// The bytes of the embedded profile, if it is inside the file.
  let profileRange: Range<Int>?
  /// The resolution, from the pixels per metre.
  let resolution: ImageResolution?

  static let stage = "header"

  /// As in Pillow.
  private static let mostColors = 65_536
  private static let embeddedProfile = 0x4D42_4544

  /// Reads the headers.
  ///
  /// - Throws: `corrupt`, `truncated`, `unsupportedType`.
  init(_ bytes: Span<UInt8>, in container: Container) throws(ImageDecodingError) {
    let start = container == .file ? 14 : 0
    func field(_ offset: Int, _ byteCount: Int) -> Int? {
      bytes.littleEndian(at: start + offset, bytes: byteCount)
    }
    guard let length = field(0, 4) else { throw .truncated(.bmp, stage: Self.stage) }
    guard length == 12 || 16...64 ~= length || length == 108 || length == 124 else {
      throw Self.corrupt("a header of \(length) bytes")
    }
    guard bytes.count >= start + length else { throw .truncated(.bmp, stage: Self.stage) }
    let isCore = length == 12
    let isInIcon = container == .icon || container == .iconWithoutMask
    func optional(_ offset: Int, _ byteCount: Int) -> Int {
      offset + byteCount <= length ? field(offset, byteCount) ?? 0 : 0
    }
    func signed(_ value: Int) -> Int { Int(Int32(truncatingIfNeeded: value)) }

    let width = isCore ? optional(4, 2) : signed(optional(4, 4))
    var height = isCore ? optional(6, 2) : signed(optional(8, 4))
    if container == .icon { height /= 2 }
    guard width > 0, height != 0, height != Int(Int32.min) else {
      throw Self.corrupt("a size of \(width)x\(height)")
    }
    size = PixelSize(width, abs(height))
    isTopDown = height < 0
    let bits = isCore ? optional(10, 2) : optional(14, 2)
    bitsPerPixel = bits

    let method = isCore ? 0 : optional(16, 4)
    // In OS/2, 3 and 4 are other methods; its second header has 64 bytes, or fewer if it is shortened.
    let isOS2 = length == 64 || 16..<40 ~= length
    compression = try Self.compression(method, bits: bits, isOS2: isOS2)
    let hasMasks = !isOS2 && (method == 3 || method == 6)
    if bits == 64 { throw .unsupportedType(.bmp, reason: "its pixels have 64 bits") }
    guard [1, 2, 4, 8, 16, 24, 32].contains(bits), !hasMasks || bits >= 16 else {
      throw Self.corrupt("\(bits) bits a pixel")
    }

    // A header of 40 bytes has its masks after it; longer headers contain them.
    let maskCount = !hasMasks ? 0 : method == 6 || length >= 56 ? 4 : 3
    if hasMasks {
      var values = [0, 0, 0, 0]
      for index in 0..<maskCount {
        guard let value = field(40 + index * 4, 4) else { throw .truncated(.bmp, stage: Self.stage) }
        values[index] = value
      }
      // Icons have alpha, if it is not 0 everywhere.
      if isInIcon, bits == 32, maskCount == 3 { values[3] = 0xFF00_0000 }
      masks = try BMPMasks(red: values[0], green: values[1], blue: values[2], alpha: values[3])
    } else {
      let wide = isInIcon && bits == 32 ? BMPMasks.eightBitsWithAlpha : .eightBits
      masks = bits == 16 ? .fiveBits : bits >= 24 ? wide : nil
    }

    let paletteStart = start + length + (length == 40 ? maskCount * 4 : 0)
    let entryByteCount = isCore ? 3 : 4
    let declaredColors = isCore ? 0 : optional(32, 4)
    var offset = container == .file ? bytes.littleEndian(at: 10, bytes: 4) ?? 0 : 0
    if bits <= 8 {
      // Some writers count more colours than a pixel can name; the pixels begin behind all of them.
      guard declaredColors <= Self.mostColors else {
        throw Self.corrupt("a palette of \(declaredColors) colours")
      }
      var count = declaredColors == 0 ? 1 << bits : declaredColors
      // Some writers of OS/2 files leave out the end of the palette; only the offset of the pixels shows it.
      if offset > paletteStart { count = min(count, (offset - paletteStart) / entryByteCount) }
      palette = try Self.palette(bytes, at: paletteStart, count: count, entryByteCount: entryByteCount)
    } else {
      palette = []
    }
    let paletteEnd =
      paletteStart + entryByteCount * (bits <= 8 ? palette.count : container != .file ? declaredColors : 0)
    if offset == 0 { offset = paletteEnd }
    guard offset >= start + length else { throw Self.corrupt("its pixels begin inside the header") }
    pixelOffset = offset

    let profileOffset = start + optional(112, 4)
    let profileByteCount = optional(116, 4)
    let hasProfile = length == 124 && optional(56, 4) == Self.embeddedProfile && profileByteCount > 0
    profileRange =
      hasProfile && profileOffset + profileByteCount <= bytes.count
      ? profileOffset..<profileOffset + profileByteCount : nil
    resolution = Self.resolution(optional(24, 4), optional(28, 4))
  }

  /// The resolution of a number of pixels per metre; where that from top to bottom is not stated, it is the other one.
  private static func resolution(_ horizontal: Int, _ vertical: Int) -> ImageResolution? {
    let possible = 1...1_000_000
    guard possible ~= horizontal else { return nil }
    return ImageResolution(
      horizontal: Double(horizontal) * 0.0254,
      vertical: Double(possible ~= vertical ? vertical : horizontal) * 0.0254)
  }

  private static func compression(
    _ method: Int, bits: Int, isOS2: Bool
  ) throws(ImageDecodingError) -> Compression {
    switch (method, bits) {
    case (0, _): return .none
    case (1, 8): return .runLength(bits: 8)
    case (2, 4): return .runLength(bits: 4)
    case (4, 24) where isOS2: return .runLength(bits: 24)
    case (3, _) where !isOS2, (6, _): return .none
    case (3, 1) where isOS2: throw .unsupportedType(.bmp, reason: "its pixels are Huffman-coded")
    case (4, _) where !isOS2: throw .unsupportedType(.bmp, reason: "it contains a JPEG")
    case (5, _): throw .unsupportedType(.bmp, reason: "it contains a PNG")
    default: throw corrupt("compression \(method) with \(bits) bits")
    }
  }

  private static func palette(
    _ bytes: Span<UInt8>, at start: Int, count: Int, entryByteCount: Int
  ) throws(ImageDecodingError) -> [UInt32] {
    var words: [UInt32] = []
    for index in 0..<count {
      guard let color = bytes.littleEndian(at: start + index * entryByteCount, bytes: 3) else {
        throw .truncated(.bmp, stage: "palette")
      }
      words.append(PixelCanvas.opaqueBlack | UInt32(color))
    }
    return words
  }

  static func corrupt(_ reason: String) -> ImageDecodingError {
    .corrupt(.bmp, stage: stage, reason: reason)
  }
}

struct BMPMasks: Hashable {
  /// One colour: adjacent bits, scaled to eight bits.
  struct Channel: Hashable {
    private var mask: UInt32 = 0
    private var shift = 0
    private var largest: UInt64 = 0

    var isEmpty: Bool { mask == 0 }

    /// No bits.
    init() {}

    /// `nil` if the bits are not adjacent.
    init?(_ value: Int) {
      mask = UInt32(truncatingIfNeeded: value)
      shift = mask == 0 ? 0 : mask.trailingZeroBitCount
      largest = UInt64(mask >> UInt32(shift))
      guard largest & (largest + 1) == 0 else { return nil }
    }

    /// The colour of a pixel, 0 to 255, rounded.
    func value(_ pixel: UInt32) -> UInt8 {
      guard largest > 0 else { return 0 }
      let bits = UInt64((pixel & mask) >> UInt32(shift))
      return largest == 255 ? UInt8(bits) : UInt8((bits * 255 + largest / 2) / largest)
    }
  }

  let red: Channel
  let green: Channel
  let blue: Channel
  private(set) var alpha: Channel

  /// - Throws: `corrupt` if the bits of a colour are not adjacent.
  init(red: Int, green: Int, blue: Int, alpha: Int) throws(ImageDecodingError) {
    guard let red = Channel(red), let green = Channel(green), let blue = Channel(blue),
      let alpha = Channel(alpha)
    else { throw BMPHeader.corrupt("the bits of a colour are not adjacent") }
    (self.red, self.green, self.blue, self.alpha) = (red, green, blue, alpha)
  }

  /// Eight bits each, blue lowest.
  static let eightBits = fixed(0xFF_0000, 0xFF00, 0xFF, 0)
  /// Eight bits each and alpha, as in icons.
  static let eightBitsWithAlpha = fixed(0xFF_0000, 0xFF00, 0xFF, 0xFF00_0000)
  /// Five bits each, blue lowest.
  static let fiveBits = fixed(0x7C00, 0x3E0, 0x1F, 0)

  private static func fixed(_ red: Int, _ green: Int, _ blue: Int, _ alpha: Int) -> BMPMasks {
    guard let masks = try? BMPMasks(red: red, green: green, blue: blue, alpha: alpha) else {
      preconditionFailure("the bits of these masks are adjacent")
    }
    return masks
  }

  var opaque: BMPMasks {
    var masks = self
    masks.alpha = Channel()
    return masks
  }

  /// The pixel as a word of straight BGRA.
  func word(_ pixel: UInt32) -> UInt32 {
    PixelCanvas.word(
      red: red.value(pixel), green: green.value(pixel), blue: blue.value(pixel),
      alpha: alpha.isEmpty ? 255 : alpha.value(pixel))
  }
}
