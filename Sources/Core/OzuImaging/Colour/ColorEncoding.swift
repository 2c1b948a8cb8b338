import OzuBase

/// The colour encoding that a file declares: what its colour values mean.
///
/// A header without an encoding is that of an sRGB picture.
public enum ColorEncoding: Hashable, Sendable {
  /// An embedded ICC profile.
  case profile(ICCProfile)
  /// Colour primaries and transfer function by their numbers in ITU-T H.273, as in AVIF, HEIF, JPEG XL and the cICP
  /// chunk of PNG.
  case coded(primaries: Int, transfer: Int)
  /// A gamma and chromaticities, as in the gAMA and cHRM chunks of PNG.
  case calibrated(gamma: Double, chromaticities: Chromaticities)

  /// The name to show to people: of the profile, or of the numbers.
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
  /// The name in the profile; `nil` if it cannot be read.
  public var name: String?
  /// The bytes of the profile. They may be broken.
  public var data: Data

  /// Makes a profile from its bytes.
  public init(name: String?, data: Data) {
    self.name = name
    self.data = data
  }

  /// Whether the first bytes are those of a profile for red, green and blue with this length (ICC.1:2022 §7.2), and
  /// the profile is not longer than a block that encoders write.
  package var isForRGB: Bool {
    let header = [UInt8](data.prefix(40))
    guard header.count == 40, data.count <= ImageMetadata.largestBlock else { return false }
    let byteCount = header[..<4].reduce(0) { $0 << 8 | Int($1) }
    return byteCount == data.count && header[16..<20].elementsEqual("RGB ".utf8)
      && header[36..<40].elementsEqual("acsp".utf8)
  }
}

/// The white point and the three primaries in the CIE 1931 diagram.
public struct Chromaticities: Hashable, Sendable {
  /// A point of the diagram.
  public struct Point: Hashable, Sendable {
    /// The x coordinate.
    public var x: Double
    /// The y coordinate.
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

  /// The chromaticities of sRGB and BT.709, with the white point D65.
  public static let sRGB = Chromaticities(
    white: Point(x: 0.3127, y: 0.3290), red: Point(x: 0.64, y: 0.33), green: Point(x: 0.30, y: 0.60),
    blue: Point(x: 0.15, y: 0.06))
}
