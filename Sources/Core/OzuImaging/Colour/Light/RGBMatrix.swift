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
    func make(_ white: Point, _ red: Point, _ green: Point, _ blue: Point) -> Chromaticities {
      Chromaticities(white: white, red: red, green: green, blue: blue)
    }
    func at(_ x: Double, _ y: Double) -> Point { Point(x: x, y: y) }
    let daylight = at(0.3127, 0.3290)
    switch primaries {
    case 1, 2: self = .sRGB
    case 4: self = make(at(0.310, 0.316), at(0.67, 0.33), at(0.21, 0.71), at(0.14, 0.08))
    case 5: self = make(daylight, at(0.64, 0.33), at(0.29, 0.60), at(0.15, 0.06))
    case 6, 7: self = make(daylight, at(0.63, 0.34), at(0.31, 0.595), at(0.155, 0.07))
    case 9: self = make(daylight, at(0.708, 0.292), at(0.17, 0.797), at(0.131, 0.046))
    case 11: self = make(at(0.314, 0.351), at(0.68, 0.32), at(0.265, 0.69), at(0.15, 0.06))
    case 12: self = make(daylight, at(0.68, 0.32), at(0.265, 0.69), at(0.15, 0.06))
    default: return nil
    }
  }
}
