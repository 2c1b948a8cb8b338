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
