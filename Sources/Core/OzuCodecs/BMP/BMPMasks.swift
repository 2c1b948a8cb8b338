import OzuImaging

/// The bits of each colour in a pixel.
struct BMPMasks: Hashable {
  /// One colour: adjacent bits, scaled to eight bits.
  struct Channel: Hashable {
    private let mask: UInt32
    private let shift: Int
    private let largest: UInt64

    var isEmpty: Bool { mask == 0 }
    /// No bits.
    static let none = Channel(mask: 0, shift: 0, largest: 0)

    private init(mask: UInt32, shift: Int, largest: UInt64) {
      (self.mask, self.shift, self.largest) = (mask, shift, largest)
    }

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
  let alpha: Channel

  /// - Throws: `corrupt` if the bits of a colour are not adjacent.
  init(red: Int, green: Int, blue: Int, alpha: Int) throws(ImageDecodingError) {
    guard let red = Channel(red), let green = Channel(green), let blue = Channel(blue),
      let alpha = Channel(alpha)
    else { throw BMPHeader.corrupt("the bits of a colour are not adjacent") }
    self.init(red, green, blue, alpha)
  }

  private init(_ red: Channel, _ green: Channel, _ blue: Channel, _ alpha: Channel) {
    self.red = red
    self.green = green
    self.blue = blue
    self.alpha = alpha
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

  /// The same without alpha.
  var opaque: BMPMasks { Self(red, green, blue, Channel.none) }

  /// The pixel as a word of straight BGRA.
  func word(_ pixel: UInt32) -> UInt32 {
    PixelCanvas.word(
      red: red.value(pixel), green: green.value(pixel), blue: blue.value(pixel),
      alpha: alpha.isEmpty ? 255 : alpha.value(pixel))
  }
}
