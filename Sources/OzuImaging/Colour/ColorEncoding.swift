#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What the colour values of a file mean, as the file says it.
///
/// Only what is not plainly sRGB is written down: a header without an encoding is one of an sRGB picture.
public enum ColorEncoding: Hashable, Sendable {
  /// An embedded ICC profile.
  case profile(ICCProfile)
  /// Colour primaries and transfer function by their numbers in ITU-T H.273, as AVIF, HEIF, JPEG XL and the cICP
  /// chunk of PNG have them.
  case coded(primaries: Int, transfer: Int)
  /// A gamma and chromaticities, as the older chunks of PNG have them.
  case calibrated(gamma: Double, chromaticities: Chromaticities)

  /// The name for people: of the profile, or of the numbers.
  public var name: String {
    switch self {
    case .profile(let profile): profile.name ?? "unnamed profile"
    case .coded(let primaries, let transfer): "H.273 \(primaries)/\(transfer)"
    case .calibrated(let gamma, _): "gamma \(gamma)"
    }
  }
}

/// The bytes of an ICC profile, and its name.
public struct ICCProfile: Hashable, Sendable {
  /// The name that the profile gives itself; `nil` when it cannot be read.
  public var name: String?
  /// The profile, perhaps broken.
  public var data: Data

  /// Makes a profile from its bytes.
  public init(name: String?, data: Data) {
    self.name = name
    self.data = data
  }

  /// Whether the first bytes say that it is a profile of this length for red, green and blue (ICC.1:2022 §7.2), and it is
  /// no longer than a block that is written again.
  package var isForRGB: Bool {
    let header = [UInt8](data.prefix(40))
    guard header.count == 40, data.count <= ImageMetadata.largestBlock else { return false }
    let byteCount = header[..<4].reduce(0) { $0 << 8 | Int($1) }
    return byteCount == data.count && header[16..<20].elementsEqual("RGB ".utf8)
      && header[36..<40].elementsEqual("acsp".utf8)
  }
}

/// Where white and the three primaries lie in the CIE 1931 diagram.
public struct Chromaticities: Hashable, Sendable {
  /// A point of the diagram.
  public struct Point: Hashable, Sendable {
    /// The share of X.
    public var x: Double
    /// The share of Y.
    public var y: Double

    /// Makes a point.
    public init(x: Double, y: Double) {
      self.x = x
      self.y = y
    }
  }

  /// White.
  public var white: Point
  /// Full red.
  public var red: Point
  /// Full green.
  public var green: Point
  /// Full blue.
  public var blue: Point

  /// Makes chromaticities.
  public init(white: Point, red: Point, green: Point, blue: Point) {
    self.white = white
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// Those of sRGB and BT.709, under D65.
  public static let sRGB = Chromaticities(
    white: Point(x: 0.3127, y: 0.3290), red: Point(x: 0.64, y: 0.33), green: Point(x: 0.30, y: 0.60),
    blue: Point(x: 0.15, y: 0.06))
}
