/// A matrix of 3 × 3 that converts colours: the columns are the results for red, green and blue.
struct RGBMatrix: Hashable, Sendable {
  var red: SIMD3<Double>
  var green: SIMD3<Double>
  var blue: SIMD3<Double>

  static func * (matrix: RGBMatrix, vector: SIMD3<Double>) -> SIMD3<Double> {
    matrix.red * vector.x + matrix.green * vector.y + matrix.blue * vector.z
  }

  static func * (left: RGBMatrix, right: RGBMatrix) -> RGBMatrix {
    RGBMatrix(red: left * right.red, green: left * right.green, blue: left * right.blue)
  }

  /// `nil` for a singular matrix.
  var inverse: RGBMatrix? {
    func cross(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
      SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
    }
    let rows = (cross(green, blue), cross(blue, red), cross(red, green))
    let determinant = (red * rows.0).sum()
    guard abs(determinant) > 1e-9 else { return nil }
    let (x, y, z) = (rows.0 / determinant, rows.1 / determinant, rows.2 / determinant)
    return RGBMatrix(
      red: SIMD3(x.x, y.x, z.x), green: SIMD3(x.y, y.y, z.y), blue: SIMD3(x.z, y.z, z.z))
  }
}

extension Chromaticities {
  /// The matrix from linear red, green and blue to X, Y, Z, with Y = 1 for white (SMPTE RP 177); `nil` for
  /// primaries on one line.
  var toXYZ: RGBMatrix? {
    func column(_ point: Point) -> SIMD3<Double> {
      SIMD3(point.x / point.y, 1, (1 - point.x - point.y) / point.y)
    }
    let primaries = RGBMatrix(red: column(red), green: column(green), blue: column(blue))
    guard let shares = primaries.inverse.map({ $0 * column(white) }),
      [shares.x, shares.y, shares.z].allSatisfy(\.isFinite)
    else { return nil }
    return RGBMatrix(
      red: primaries.red * shares.x, green: primaries.green * shares.y, blue: primaries.blue * shares.z)
  }
}

extension Chromaticities {
  /// The primaries of a number in ITU-T H.273, table 2; `nil` for numbers that have none.
  package init?(primaries: Int) {
    let daylight = Point(x: 0.3127, y: 0.3290)
    switch primaries {
    case 1, 2: self = .sRGB
    case 4:
      self.init(
        white: Point(x: 0.310, y: 0.316), red: Point(x: 0.67, y: 0.33), green: Point(x: 0.21, y: 0.71),
        blue: Point(x: 0.14, y: 0.08))
    case 5:
      self.init(
        white: daylight, red: Point(x: 0.64, y: 0.33), green: Point(x: 0.29, y: 0.60),
        blue: Point(x: 0.15, y: 0.06))
    case 6, 7:
      self.init(
        white: daylight, red: Point(x: 0.63, y: 0.34), green: Point(x: 0.31, y: 0.595),
        blue: Point(x: 0.155, y: 0.07))
    case 9:
      self.init(
        white: daylight, red: Point(x: 0.708, y: 0.292), green: Point(x: 0.17, y: 0.797),
        blue: Point(x: 0.131, y: 0.046))
    case 11:
      self.init(
        white: Point(x: 0.314, y: 0.351), red: Point(x: 0.68, y: 0.32), green: Point(x: 0.265, y: 0.69),
        blue: Point(x: 0.15, y: 0.06)
      )
    case 12:
      self.init(
        white: daylight, red: Point(x: 0.68, y: 0.32), green: Point(x: 0.265, y: 0.69),
        blue: Point(x: 0.15, y: 0.06))
    default: return nil
    }
  }
}
