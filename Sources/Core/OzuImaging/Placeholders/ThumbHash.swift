import OzuBase

/// A picture in 5 to 25 bytes. It has more detail than a BlurHash of the same length, and contains the proportions
/// and the transparency. The format is that of evanw.github.io/thumbhash.
///
/// Colour is split into brightness (L), yellow against blue (P) and red against green (Q). Each is stored as its
/// mean and a triangle of low frequencies, four bits each.
public struct ThumbHash: Hashable, Sendable {
  /// The bytes.
  public let bytes: [UInt8]

  private static let longestSide = 100
  private static let drawnSide: Float = 32

  /// Reads a hash.
  ///
  /// - Returns: `nil` if there are fewer bytes than the first ones declare.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count >= 5 else { return nil }
    let layout = ThumbHashLayout(bytes)
    guard bytes.count >= layout.byteCount else { return nil }
    self.bytes = bytes
  }

  /// Reads a hash in Base64.
  public init?(base64 text: String) {
    guard let data = Data(base64Encoded: text) else { return nil }
    self.init([UInt8](data))
  }

  /// The bytes in Base64.
  public var base64: String { Data(bytes).base64EncodedString() }

  /// Makes the hash of a picture.
  ///
  /// - Complexity: O(pixels), of at most 100 a side after a reduction.
  public init(encoding bitmap: Bitmap) {
    bytes = ThumbHashEncoder(bitmap.reduced(toSide: Self.longestSide)).bytes
  }

  /// Width divided by height, roughly.
  public var aspectRatio: Double {
    let layout = ThumbHashLayout(bytes)
    return Double(layout.storedWidth) / Double(layout.storedHeight)
  }

  /// The average colour, premultiplied.
  public var averageColor: Pixel {
    let layout = ThumbHashLayout(bytes)
    return Self.pixel(layout.brightness, layout.yellow, layout.red, layout.alpha)
  }

  /// Draws the hash, 32 pixels on the longer side.
  public func bitmap(pool: PixelBufferPool = .shared) -> Bitmap {
    let layout = ThumbHashLayout(bytes)
    let ratio = Float(layout.storedWidth) / Float(layout.storedHeight)
    let size = PixelSize(
      Int((ratio > 1 ? Self.drawnSide : Self.drawnSide * ratio).rounded()),
      Int((ratio > 1 ? Self.drawnSide / ratio : Self.drawnSide).rounded()))
    let columns = (0..<7).map { Cosines.values($0, count: size.width, offset: 0.5) }
    let rows = (0..<7).map { Cosines.values($0, count: size.height, offset: 0.5) }
    let channels = layout.channels(bytes)
    let isOpaque = !layout.hasAlpha
    return BGRABitmap.making(size: size, isOpaque: isOpaque, colorSpace: .sRGB, pool: pool) { y, row in
      for x in row.indices {
        let values = channels.map { channel in
          channel.frequencies.reduce(channel.mean) { sum, wave in
            sum + wave.factor * columns[wave.horizontal][x] * rows[wave.vertical][y] * 2
          }
        }
        row[x] = Self.pixel(values[0], values[1], values[2], values.count > 3 ? values[3] : 1)
      }
    }.bitmap
  }

  private static func pixel(_ l: Float, _ p: Float, _ q: Float, _ a: Float) -> Pixel {
    let blue = l - 2 / 3 * p
    let red = (3 * l - blue + q) / 2
    let green = red - q
    let alpha = max(0, min(1, a))
    func byte(_ value: Float) -> UInt8 { UInt8(max(0, min(1, value)) * alpha * 255) }
    return Pixel(red: byte(red), green: byte(green), blue: byte(blue), alpha: UInt8(alpha * 255))
  }
}

extension Picture {
  /// A picture to show until the real one is loaded, 32 pixels on its longer side. Takes less than a millisecond.
  public init(placeholder hash: ThumbHash) {
    self.init(hash.bitmap(), isPreview: true)
  }
}

/// The first bytes of a ThumbHash, and the places of the others.
struct ThumbHashLayout {
  /// One frequency of a channel.
  struct Wave {
    let horizontal: Int
    let vertical: Int
    let factor: Float
  }

  /// A stored channel.
  struct Channel {
    let mean: Float
    let frequencies: [Wave]
  }

  /// Four bits weaken the colours; this factor restores part of it.
  private static let colorBoost: Float = 1.25

  let brightness: Float
  let yellow: Float
  let red: Float
  let alpha: Float
  let hasAlpha: Bool
  /// The numbers of frequencies along the two sides: their ratio is that of the picture.
  let storedWidth: Int
  let storedHeight: Int

  private let brightnessScale: Float
  private let yellowScale: Float
  private let redScale: Float
  private let alphaScale: Float

  /// - Precondition: at least five bytes.
  init(_ bytes: [UInt8]) {
    let head = Int(bytes[0]) | Int(bytes[1]) << 8 | Int(bytes[2]) << 16
    let tail = Int(bytes[3]) | Int(bytes[4]) << 8
    brightness = Float(head & 63) / 63
    yellow = Float(head >> 6 & 63) / 31.5 - 1
    red = Float(head >> 12 & 63) / 31.5 - 1
    brightnessScale = Float(head >> 18 & 31) / 31
    hasAlpha = head >> 23 & 1 == 1
    yellowScale = Float(tail >> 3 & 63) / 63 * Self.colorBoost
    redScale = Float(tail >> 9 & 63) / 63 * Self.colorBoost
    let longSide = hasAlpha ? 5 : 7
    let isLandscape = tail >> 15 & 1 == 1
    // The short side is never zero in a hash that was made from a picture.
    storedWidth = isLandscape ? longSide : max(1, tail & 7)
    storedHeight = isLandscape ? max(1, tail & 7) : longSide
    let extra = bytes.count > 5 ? Int(bytes[5]) : 0
    alpha = hasAlpha ? Float(extra & 15) / 15 : 1
    alphaScale = Float(extra >> 4) / 15
  }

  /// The bytes of the frequencies, plus those before them.
  var byteCount: Int {
    let counts = [(max(3, storedWidth), max(3, storedHeight)), (3, 3), (3, 3)] + (hasAlpha ? [(5, 5)] : [])
    let waves = counts.reduce(0) { $0 + Self.waves($1.0, $1.1).count }
    return (hasAlpha ? 6 : 5) + (waves + 1) / 2
  }

  /// The frequencies of a channel in the order in which they are stored: a triangle, without the mean.
  static func waves(_ width: Int, _ height: Int) -> [(horizontal: Int, vertical: Int)] {
    (0..<height).flatMap { vertical in
      (0..<width).compactMap { horizontal in
        let isInside = horizontal * height < width * (height - vertical)
        return isInside && (horizontal, vertical) != (0, 0) ? (horizontal, vertical) : nil
      }
    }
  }

  /// The channels L, P, Q and perhaps A.
  func channels(_ bytes: [UInt8]) -> [Channel] {
    var position = hasAlpha ? 12 : 10
    func channel(_ mean: Float, _ width: Int, _ height: Int, _ scale: Float) -> Channel {
      let frequencies = Self.waves(width, height).map { wave in
        let half = position / 2 < bytes.count ? bytes[position / 2] >> UInt8(position % 2 * 4) & 15 : 0
        position += 1
        return Wave(
          horizontal: wave.horizontal, vertical: wave.vertical, factor: (Float(half) / 7.5 - 1) * scale)
      }
      return Channel(mean: mean, frequencies: frequencies)
    }
    var result = [
      channel(brightness, max(3, storedWidth), max(3, storedHeight), brightnessScale),
      channel(yellow, 3, 3, yellowScale), channel(red, 3, 3, redScale),
    ]
    if hasAlpha { result.append(channel(alpha, 5, 5, alphaScale)) }
    return result
  }
}

struct ThumbHashEncoder {
  private(set) var bytes: [UInt8] = []

  /// A channel as its mean and its frequencies, which are divided by the largest to lie in 0...1.
  private struct Transform {
    var mean = 0.0
    var frequencies: [Double] = []
    var scale = 0.0
  }

  /// - Precondition: no side is longer than 100 pixels.
  init(_ bitmap: Bitmap) {
    let size = bitmap.size
    let (channels, hasAlpha) = Self.channels(bitmap)
    let longSide = max(size.width, size.height)
    let limit = Double(hasAlpha ? 5 : 7)
    func share(_ side: Int) -> Int { max(1, Int((limit * Double(side) / Double(longSide)).rounded())) }
    let width = share(size.width)
    let height = share(size.height)
    let l = Self.transform(channels[0], size, max(3, width), max(3, height))
    let p = Self.transform(channels[1], size, 3, 3)
    let q = Self.transform(channels[2], size, 3, 3)
    let a = hasAlpha ? Self.transform(channels[3], size, 5, 5) : nil

    func rounded(_ value: Double) -> Int { Int((value + 0.5).rounded(.down)) }
    let isLandscape = size.width > size.height
    let colors =
      rounded(63 * l.mean) | rounded(31.5 + 31.5 * p.mean) << 6 | rounded(31.5 + 31.5 * q.mean) << 12
    let head = colors | rounded(31 * l.scale) << 18 | (hasAlpha ? 1 << 23 : 0)
    let scales = rounded(63 * p.scale) << 3 | rounded(63 * q.scale) << 9
    let tail = (isLandscape ? height : width) | scales | (isLandscape ? 1 << 15 : 0)
    bytes = [head, head >> 8, head >> 16, tail, tail >> 8].map { UInt8(truncatingIfNeeded: $0) }
    if let a { bytes.append(UInt8(rounded(15 * a.mean) | rounded(15 * a.scale) << 4)) }
    var isOdd = false
    for frequency in l.frequencies + p.frequencies + q.frequencies + (a?.frequencies ?? []) {
      let half = UInt8(rounded(15 * frequency))
      if isOdd { bytes[bytes.count - 1] |= half << 4 } else { bytes.append(half) }
      isOdd.toggle()
    }
  }

  /// L, P, Q and alpha of each pixel; transparent pixels are blended over the average colour.
  private static func channels(_ bitmap: Bitmap) -> (channels: [[Double]], hasAlpha: Bool) {
    var pixels: [SIMD4<Double>] = []
    for y in 0..<bitmap.size.height {
      bitmap.forEachPixel(inRow: y) { _, pixel in
        pixels.append(
          SIMD4(Double(pixel.red), Double(pixel.green), Double(pixel.blue), Double(pixel.alpha)) / 255)
      }
    }
    // The pixels are premultiplied, so the sums are weighted by alpha.
    let sum = pixels.reduce(SIMD4()) { $0 + $1 }
    let average = sum.w > 0 ? sum / sum.w : SIMD4()
    let filled = pixels.map { $0 + average * (1 - $0.w) }
    let channels = [
      filled.map { ($0.x + $0.y + $0.z) / 3 }, filled.map { ($0.x + $0.y) / 2 - $0.z },
      filled.map { $0.x - $0.y }, pixels.map(\.w),
    ]
    return (channels, pixels.contains { $0.w < 1 })
  }

  private static func transform(
    _ channel: [Double], _ size: PixelSize, _ width: Int, _ height: Int
  ) -> Transform {
    func factor(_ horizontal: Int, _ vertical: Int) -> Double {
      let step = Double.pi / Double(size.width) * Double(horizontal)
      let columns = (0..<size.width).map { (x: Int) -> Double in cos(step * (Double(x) + 0.5)) }
      var sum = 0.0
      for y in 0..<size.height {
        let row = cos(.pi / Double(size.height) * Double(vertical) * (Double(y) + 0.5))
        for x in 0..<size.width { sum += channel[y * size.width + x] * columns[x] * row }
      }
      return sum / Double(size.pixelCount)
    }
    var result = Transform(mean: factor(0, 0))
    let factors = ThumbHashLayout.waves(width, height).map { factor($0.horizontal, $0.vertical) }
    result.scale = factors.reduce(0) { max($0, abs($1)) }
    result.frequencies = factors.map { result.scale > 0 ? 0.5 + 0.5 / result.scale * $0 : $0 }
    return result
  }
}
