import CJPEGOracle
import Foundation
import OzuImaging

/// A JPEG of any kind that libjpeg can write, with a picture made for it.
public struct JPEGVariant: Hashable, Sendable, CustomStringConvertible {
  /// The size in pixels.
  public var size: PixelSize
  /// Sampling factors of luma; those of red chroma are 1.
  public var horizontal = 1
  /// As `horizontal`.
  public var vertical = 1
  /// Sampling factors of blue chroma.
  public var blueHorizontal = 1
  /// As `blueHorizontal`.
  public var blueVertical = 1
  /// Whether there is only luma.
  public var isGray = false
  /// Whether it is stored in the scans of libjpeg's simple progression.
  public var isProgressive = false
  /// Whether the Huffman tables are optimised for the picture.
  public var optimizesTables = false
  /// Groups of blocks between restart markers; 0 for none.
  public var restartInterval = 0
  /// 1 to 100.
  public var quality = 90

  /// Makes a variant.
  public init(
    _ size: PixelSize, sampling: (Int, Int) = (2, 2), blueSampling: (Int, Int) = (1, 1), isGray: Bool = false,
    isProgressive: Bool = false,
    optimizesTables: Bool = false, restartInterval: Int = 0, quality: Int = 90
  ) {
    self.size = size
    (horizontal, vertical) = sampling
    (blueHorizontal, blueVertical) = blueSampling
    self.isGray = isGray
    self.isProgressive = isProgressive
    self.optimizesTables = optimizesTables
    self.restartInterval = restartInterval
    self.quality = quality
  }

  /// For the names of tests.
  public var description: String {
    "\(size) \(isGray ? "grey" : "\(horizontal)x\(vertical) \(blueHorizontal)x\(blueVertical)")\(isProgressive ? " progressive" : "")"
      + (optimizesTables ? " optimized" : "") + (restartInterval > 0 ? " restarts \(restartInterval)" : "")
      + " q\(quality)"
  }

  /// The file: waves with edges and grain, like a photograph.
  public var data: Data {
    let components = isGray ? 1 : 3
    var pixels: [UInt8] = []
    pixels.reserveCapacity(size.pixelCount * components)
    var noise: UInt32 = 12345
    for y in 0..<size.height {
      for x in 0..<size.width {
        noise = noise &* 1_664_525 &+ 1_013_904_223
        let grain = Double(noise >> 26) - 32
        let edge = (x / 23 + y / 17) % 3 == 0 ? 40.0 : 0
        for component in 0..<components {
          let frequency = 0.03 + 0.05 * Double(component)
          let wave = sin(Double(x) * frequency) * cos(Double(y) * frequency * 0.7)
          pixels.append(UInt8(max(0, min(255, 110 + 100 * wave + edge + grain * 0.5))))
        }
      }
    }
    let variant = OracleVariant(
      width: Int32(size.width), height: Int32(size.height), components: Int32(components),
      quality: Int32(quality), horizontal: Int32(isGray ? 1 : horizontal),
      vertical: Int32(isGray ? 1 : vertical), blue_horizontal: Int32(blueHorizontal),
      blue_vertical: Int32(blueVertical),
      is_progressive: isProgressive, optimizes_tables: optimizesTables,
      restart_interval: Int32(restartInterval))
    var byteCount = 0
    guard let file = oracle_encode(pixels, variant, &byteCount) else { return Data() }
    return Data(bytesNoCopy: file, count: byteCount, deallocator: .free)
  }
}
