import OzuImaging

/// The blocks of bytes in which files state light levels: content light levels (CTA-861.3) and the mastering display
/// (SMPTE ST 2086). PNG and HEIF have the same fields; their units and the order of primaries differ.
extension LightLevels {
  /// The order of primaries in the block of a mastering display.
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

  /// A mean of 0 is one that the writer did not know.
  package mutating func forgetUnknownAverage() {
    if maximumAverage == 0 { maximumAverage = nil }
  }

  /// Chromaticities are in units of 0.00002, light in units of 0.0001 candelas per square metre.
  private static let chromaticityUnits = 50_000.0
  package static let lightUnits = 10_000.0

  /// Takes the mastering display from its 24 bytes: three primaries and white, greatest and least light. Of a block that is cut
  /// short what is there counts.
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

  /// The 24 bytes of the mastering display; `nil` where a number is not known, or is none that a display has.
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

  /// The greatest light of a pixel and of a frame, as integers of so many bytes in units of so many parts of a candela per
  /// square metre; `nil` where the former is not known, or cannot be. An unknown mean is 0.
  package func contentLevels(bytes: Int, units: Double) -> [UInt8]? {
    guard let most = maximumContent, Self.writable.contains(most) else { return nil }
    let mean = maximumAverage.flatMap { 0...most ~= $0 ? $0 : nil } ?? 0
    return Self.bytes(most * units, bytes) + Self.bytes(mean * units, bytes)
  }

  /// Light that is written: no file is told what was not believed when it was read.
  private static let writable = 0.0001...10_000

  private static func bytes(_ number: Double, _ count: Int) -> [UInt8] {
    let value = UInt32(number.rounded())
    return (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt32(8 * (count - 1 - $0))) }
  }
}
