#if canImport(Glibc)
  import Glibc
#endif
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

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
    return Bitmap(size: size, isOpaque: !layout.hasAlpha, pool: pool) { target, bytesPerRow in
      for y in 0..<size.height {
        for x in 0..<size.width {
          let values = channels.map { channel in
            channel.frequencies.reduce(channel.mean) { sum, wave in
              sum + wave.factor * columns[wave.horizontal][x] * rows[wave.vertical][y] * 2
            }
          }
          let pixel = Self.pixel(values[0], values[1], values[2], values.count > 3 ? values[3] : 1)
          let at = y * bytesPerRow + x * 4
          target[at] = pixel.blue
          target[at + 1] = pixel.green
          target[at + 2] = pixel.red
          target[at + 3] = pixel.alpha
        }
      }
    }
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
