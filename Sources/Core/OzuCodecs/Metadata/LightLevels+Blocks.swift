import OzuBase
import OzuImaging

/// The blocks of bytes in which files store light levels: content light levels (CTA-861.3) and the mastering
/// display (SMPTE ST 2086). PNG and HEIF have the same fields with different units and another order of primaries.
extension LightLevels {
  /// The order of primaries in the block of the mastering display.
  package enum Order {
    /// PNG: red, green, blue.
    case redFirst
    /// HEIF: green, blue, red.
    case greenFirst

    /// The places of red, green and blue.
    fileprivate var places: (red: Int, green: Int, blue: Int) {
      self == .redFirst ? (0, 1, 2) : (2, 0, 1)
    }
  }

  /// Removes a mean of 0, which means that the writer did not know it.
  package mutating func forgetUnknownAverage() {
    if maximumAverage == 0 { maximumAverage = nil }
  }

  /// Chromaticities are in units of 0.00002, light in units of 0.0001 candelas per square metre.
  private static let chromaticityUnits = 50_000.0
  package static let lightUnits = 10_000.0

  /// Reads the mastering display from its 24 bytes: three primaries and white, greatest and least light. From a
  /// truncated block, the fields that are complete are used.
  package mutating func readMasteringDisplay(_ file: Span<UInt8>, at start: Int, _ order: Order) {
    func number(_ offset: Int, _ bytes: Int, _ units: Double) -> Double? {
      file.bigEndian(at: start + offset, bytes: bytes).map { Double($0) / units }
    }
    func point(_ place: Int) -> Chromaticities.Point? {
      guard let x = number(place * 4, 2, Self.chromaticityUnits),
        let y = number(place * 4 + 2, 2, Self.chromaticityUnits)
      else { return nil }
      return Chromaticities.Point(x: x, y: y)
    }
    let places = order.places
    if let red = point(places.red), let green = point(places.green), let blue = point(places.blue),
      let white = point(3)
    {
      masteringGamut = Chromaticities(white: white, red: red, green: green, blue: blue)
    }
    masteringPeak = number(16, 4, Self.lightUnits)
    masteringMinimum = number(20, 4, Self.lightUnits)
  }

  /// The 24 bytes of the mastering display; `nil` if a number is unknown or impossible for a display.
  package func masteringDisplay(_ order: Order) -> [UInt8]? {
    guard let gamut = masteringGamut, let peak = masteringPeak, let minimum = masteringMinimum,
      Self.writable.contains(peak), 0..<peak ~= minimum
    else { return nil }
    var points = [gamut.white, gamut.white, gamut.white, gamut.white]
    let places = order.places
    (points[places.red], points[places.green], points[places.blue]) = (gamut.red, gamut.green, gamut.blue)
    var bytes: [UInt8] = []
    for number in points.flatMap({ [$0.x, $0.y] }) {
      guard 0...1 ~= number else { return nil }
      bytes += Self.bytes(number * Self.chromaticityUnits, 2)
    }
    return bytes + Self.bytes(peak * Self.lightUnits, 4) + Self.bytes(minimum * Self.lightUnits, 4)
  }

  /// The greatest light of a pixel and of a frame, as integers of `bytes` bytes in units of 1/`units` candelas per
  /// square metre; `nil` if the light of a pixel is unknown or impossible. An unknown mean is 0.
  package func contentLevels(bytes: Int, units: Double) -> [UInt8]? {
    guard let most = maximumContent, Self.writable.contains(most) else { return nil }
    let mean = maximumAverage.flatMap { 0...most ~= $0 ? $0 : nil } ?? 0
    return Self.bytes(most * units, bytes) + Self.bytes(mean * units, bytes)
  }

  /// The range of light that is written. Values outside it are ignored when a file is read.
  private static let writable = 0.0001...10_000

  private static func bytes(_ number: Double, _ count: Int) -> [UInt8] {
    UInt32(clamping: number, rounded: .toNearestOrAwayFromZero).bigEndianBytes(count)
  }
}
