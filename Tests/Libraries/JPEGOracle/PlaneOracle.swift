import CJPEGOracle
import Foundation
import OzuImaging

/// The right planes of a file: the coefficients that libjpeg reads, transformed in floating point.
///
/// The planes of a progressive file contain the bits of the scans down to some bit, plus 3/8 of the most that the
/// bits below could add. The oracle computes that from all bits and the scan headers.
public struct PlaneOracle {
  /// The result of a comparison.
  public struct Difference {
    /// The largest difference of a sample, in its fraction units (1/64).
    public var largest = 0.0
    /// How many blocks were compared. Blocks that a hostile file drives out of the valid range are not.
    public var blockCount = 0
  }

  private let file: Data
  private let components: [OracleComponent]
  private let scans: [Scan]

  private struct Scan {
    var identifiers: [UInt8]
    var range: ClosedRange<Int>
    var high: Int
    var low: Int
  }

  /// The largest allowed difference from exact samples, in fraction units: only the conversion if all constants are
  /// powers of two. In squares above 2 each product loses up to 2 units; over random blocks the largest sum of these losses
  /// was 67 units.
  public static func tolerance(scale: Int) -> Double { scale <= 2 ? 0.01 : scale <= 4 ? 40 : 80 }

  /// Reads a file of `componentCount` components; `nil` if libjpeg fails or reports a warning.
  ///
  /// With `allowsWarnings`, the coefficients that libjpeg reads from a damaged file are accepted too.
  public init?(_ file: Data, componentCount: Int, allowsWarnings: Bool = false) {
    var components = [OracleComponent](repeating: OracleComponent(), count: componentCount)
    let isRead = file.withUnsafeBytes {
      oracle_read($0.bindMemory(to: UInt8.self).baseAddress, $0.count, Int32(componentCount), &components)
    }
    guard isRead else { return nil }
    guard allowsWarnings || components.allSatisfy({ $0.warnings == 0 }) else {
      for component in components { free(component.coefficients) }
      return nil
    }
    self.file = file
    self.components = components
    scans = Self.scans(in: [UInt8](file))
  }

  /// Frees the coefficients.
  public func close() {
    for component in components { free(component.coefficients) }
  }

  /// The arithmetic with which a plane is compared.
  public enum Reference {
    /// Exact arithmetic.
    case exact
    /// The decoder's own arithmetic for scales above 2 (`SquareModel`), which the plane must equal bit for bit.
    case model
  }

  /// Compares a plane of a component, named as in its scans, with the right one.
  ///
  /// - Parameters:
  ///   - reference: the arithmetic of the right plane.
  ///   - lowestBit: for a progressive file, the lowest bit that refinement scans have added to the plane.
  ///   - firstColumn: the first block of each row that is compared.
  package func difference(
    of plane: SamplePlane, component index: Int, identifier: UInt8, scale: Int, isProgressive: Bool,
    lowestBit: Int = 0, fromColumn firstColumn: Int32 = 0, reference: Reference = .exact
  ) -> Difference {
    let component = components[index]
    let lows = isProgressive ? self.lows(identifier, lowestBit) : [Int](repeating: 0, count: 64)
    let isWhole = lows.allSatisfy { $0 == 0 }
    var result = Difference()
    for row in 0..<component.rows {
      for column in firstColumn..<component.columns {
        let first = (Int(row) * Int(component.columns) + Int(column)) * 64
        guard let square = kept(component, at: first, scale: scale, lows: lows) else { continue }
        result.blockCount += 1
        // In a block that has only a mean, all samples may be those of a full decode, which are bytes.
        let isFlat =
          isWhole && (1..<64).allSatisfy { component.coefficients[first + $0] == 0 }
        var squares = [square]
        // libjpeg-turbo takes a coefficient behind the last one for the last one. The decoder skips it (ITU-T T.81
        // has no such coefficient).
        if reference == .model, scale == 8, square[63] != 0 { squares.append(square.dropLast() + [0]) }
        let byte = max(0, min(255, ((square[0] + 4) / 8).rounded(.down) + 128)) * 64
        let differences = squares.map { square in
          let right = Self.samples(square, scale: scale, reference)
          return right.indices.reduce(0.0) { largest, index in
            let place =
              (Int(row) * scale + index / scale) * plane.samplesPerRow + Int(column) * scale + index % scale
            let found = Double(plane.samples[place])
            let difference = abs(right[index] - found)
            return max(largest, isFlat ? min(difference, abs(byte - found)) : difference)
          }
        }
        result.largest = max(result.largest, differences.min()!)
      }
    }
    return result
  }

  /// The samples of a square of coefficients, in fraction units.
  private static func samples(_ square: [Double], scale side: Int, _ reference: Reference) -> [Double] {
    if reference == .model {
      return SquareModel.samples(square.map { Int16($0) }, side: side).map { Double($0) }
    }
    let basis = bases[side]
    return (0..<side * side).map { place in
      var sum = 0.0
      for v in 0..<side {
        for u in 0..<side { sum += square[v * side + u] * basis[place / side][v] * basis[place % side][u] }
      }
      return max(0, min(255, sum + 128)) * 64
    }
  }

  /// The dequantized coefficients of a block; `nil` if one is out of range.
  private func kept(_ component: OracleComponent, at first: Int, scale: Int, lows: [Int?]) -> [Double]? {
    var square: [Double] = []
    for v in 0..<scale {
      for u in 0..<scale {
        let place = v * 8 + u
        let value = Int(component.coefficients[first + place])
        let step = quantization(component, place)
        guard abs(value * step) <= 2047 else { return nil }
        guard place > 0 else {
          square.append(Double(value * step))
          continue
        }
        guard let low = lows[place] else {
          // A run beyond the last coefficient of a scan, which libjpeg accepts, leaves one that is in no scan.
          guard value == 0 else { return nil }
          square.append(0)
          continue
        }
        let known = ((abs(value) >> low) << low) * step
        let missing = known == 0 ? 0 : (((1 << low) - 1) * step * 3) >> 3
        guard known + missing <= 2047 else { return nil }
        square.append(Double(value < 0 ? -known - missing : known + missing))
      }
    }
    return square
  }

  private func quantization(_ component: OracleComponent, _ place: Int) -> Int {
    withUnsafeBytes(of: component.quantization) { Int($0.bindMemory(to: UInt16.self)[place]) }
  }

  /// For each coefficient in natural order the lowest bit that is read; `nil` if it is in no scan.
  private func lows(_ identifier: UInt8, _ lowestBit: Int) -> [Int?] {
    var lows = [Int?](repeating: nil, count: 64)
    for scan in scans where scan.identifiers.contains(identifier) {
      guard scan.high == 0 || scan.low >= lowestBit || scan.range.lowerBound == 0 else { continue }
      for index in scan.range { lows[Self.zigzag[index]] = scan.low }
    }
    return lows
  }

  private static func scans(in bytes: [UInt8]) -> [Scan] {
    var scans: [Scan] = []
    var position = 2
    while position + 4 <= bytes.count {
      guard bytes[position] == 0xFF, bytes[position + 1] != 0, bytes[position + 1] != 0xFF,
        !(0xD0...0xD8 ~= bytes[position + 1])
      else {
        position += 1
        continue
      }
      let marker = bytes[position + 1]
      if marker == 0xD9 { break }
      let length = max(2, Int(bytes[position + 2]) << 8 | Int(bytes[position + 3]))
      let start = position + 4
      position += 2 + length
      guard marker == 0xDA, position <= bytes.count else { continue }
      let count = Int(bytes[start])
      let end = start + 1 + 2 * count
      guard end + 3 <= position, bytes[end] <= bytes[end + 1], bytes[end + 1] < 64 else { continue }
      scans.append(
        Scan(
          identifiers: (0..<count).map { bytes[start + 1 + 2 * $0] },
          range: Int(bytes[end])...Int(bytes[end + 1]), high: Int(bytes[end + 2] >> 4),
          low: Int(bytes[end + 2] & 15)))
    }
    return scans
  }

  /// By scale.
  private static let bases = (0...8).map { basis($0) }

  /// The inverse transform of `scale` samples, and the factor between the two sizes.
  private static func basis(_ scale: Int) -> [[Double]] {
    let size = Double(scale)
    return (0..<scale).map { x in
      (0..<scale).map { u in
        let norm = (u == 0 ? 1 / size : 2 / size).squareRoot() * (size / 8).squareRoot()
        return norm * cos((2 * Double(x) + 1) * Double(u) * .pi / (2 * size))
      }
    }
  }

  /// The order of ITU-T T.81 Figure 5, computed by walking it.
  private static let zigzag: [Int] = {
    var order: [Int] = []
    var (x, y) = (0, 0)
    var isUpwards = true
    while order.count < 64 {
      order.append(y * 8 + x)
      if isUpwards {
        if x == 7 {
          y += 1; isUpwards = false
        } else if y == 0 {
          x += 1; isUpwards = false
        } else {
          x += 1; y -= 1
        }
      } else {
        if y == 7 {
          x += 1; isUpwards = true
        } else if x == 0 {
          y += 1; isUpwards = true
        } else {
          x -= 1; y += 1
        }
      }
    }
    return order
  }()
}
