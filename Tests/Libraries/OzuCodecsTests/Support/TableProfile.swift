import Foundation

/// Writes ICC profiles (ICC.1:2001-04, or the same with the version of ICC.1:2010) whose tables have two steps on
/// each axis and the type `lut8Type`.
struct TableProfile {
  /// L*, a* and b* of a corner of the table.
  typealias Lab = (lightness: Double, a: Double, b: Double)

  var deviceClass: String
  var space: String
  /// The colours of the corners by table name; in a corner's number the first channel has the highest bit.
  var tables: [(name: String, corners: [Lab])] = []
  /// The ink of each corner of Lab, with L* in the highest bit: the table from Lab to ink (B2A0).
  var inks: [[UInt8]]?
  /// The white of the medium as X, Y and Z; D50 as usual.
  var mediaWhite = d50
  /// The rendering intent that the header names, by its number.
  var intent = 0
  var version: UInt8 = 2

  private static let d50 = [0.9642, 1, 0.8249]
  private static let ramp = (0...255).map { UInt8($0) }

  var data: Data {
    var tags = [("wtpt", Array("XYZ ".utf8) + [0, 0, 0, 0] + mediaWhite.flatMap(fixed))]
    for table in tables {
      let bytes = table.corners.flatMap { corner in
        [(corner.lightness * 2.55).rounded(), corner.a + 128, corner.b + 128].map { UInt8($0) }
      }
      tags.append((table.name, lookup(from: table.corners.count.trailingZeroBitCount, to: 3, bytes)))
    }
    if let inks { tags.append(("B2A0", lookup(from: 3, to: 4, inks.flatMap(\.self)))) }
    var directory: [UInt8] = long(tags.count)
    var content: [UInt8] = []
    let start = 128 + 4 + 12 * tags.count
    for (name, bytes) in tags {
      directory += Array(name.utf8) + long(start + content.count) + long(bytes.count)
      content += bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
    }
    return Data(header(size: start + content.count) + directory + content)
  }

  private func header(size: Int) -> [UInt8] {
    var bytes = long(size) + [0, 0, 0, 0] + [version, version == 2 ? 0x40 : 0x20, 0, 0]
    bytes += Array((deviceClass + space + "Lab ").utf8)
    // A date, then the signature of all profiles.
    bytes += [0x07, 0xD0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0] + Array("acsp".utf8)
    bytes += [UInt8](repeating: 0, count: 24) + long(intent)
    // D50, the white of the profile connection space.
    bytes += Self.d50.flatMap(fixed)
    return bytes + [UInt8](repeating: 0, count: 128 - bytes.count)
  }

  private func lookup(from inputs: Int, to outputs: Int, _ corners: [UInt8]) -> [UInt8] {
    let identity = [1, 0, 0, 0, 1, 0, 0, 0, 1].flatMap(fixed)
    var bytes = Array("mft1".utf8)
    bytes += [0, 0, 0, 0, UInt8(inputs), UInt8(outputs), 2, 0]
    bytes += identity
    for _ in 0..<inputs { bytes += Self.ramp }
    bytes += corners
    for _ in 0..<outputs { bytes += Self.ramp }
    return bytes
  }

  private func long(_ value: Int) -> [UInt8] { PNGFile.big(value) }

  /// A number with 16 fractional bits.
  private func fixed(_ value: Double) -> [UInt8] { long(Int((value * 65_536).rounded())) }
}

extension TableProfile {
  /// The L* of black and of white; multiples of 20/51 fit exactly into the bytes of a table.
  struct Range {
    var black: Double
    var white = 100.0
  }

  /// Greys with equal steps of L* from black to white, in the table for colorimetric rendering.
  init(gray range: Range) {
    self.init(deviceClass: "scnr", space: "GRAY")
    tables = [("A2B1", [(range.black, 0, 0), (range.white, 0, 0)])]
  }

  /// A scanner for which equal amounts of red, green and blue are greys, with equal steps of L* from black to
  /// white.
  ///
  /// - Parameters:
  ///   - perceptual: the range of the table for perceptual rendering (A2B0); `nil` for a profile without one.
  ///   - colorimetric: the range of the table for colorimetric rendering (A2B1); `nil` for a profile without one.
  init(scannerWithPerceptual perceptual: Range?, colorimetric: Range?) {
    self.init(deviceClass: "scnr", space: "RGB ")
    for (name, range) in [("A2B0", perceptual), ("A2B1", colorimetric)] {
      guard let range else { continue }
      let corners: [Lab] = (0..<8).map { corner in
        (range.black + (range.white - range.black) * Double(corner.nonzeroBitCount) / 3, 0, 0)
      }
      tables.append((name, corners))
    }
  }

  /// The combinations of cyan, magenta, yellow and black, roughly those of ISO 12647-2 on coated paper; K has the
  /// lowest bit of the index.
  static let inkColors: [Lab] = [
    (100, 0, 0), (16, 0, 0), (89, -5, 93), (14, 0, 10), (48, 74, -3), (12, 8, 0), (47, 68, 48), (11, 7, 5),
    (55, -37, -50), (13, -3, -6), (50, -65, 27), (12, -7, 3), (24, 17, -46), (10, 2, -6), (23, 0, 0),
    (8, 0, 0),
  ]

  /// A press whose tables have `inkColors`.
  ///
  /// - Parameters:
  ///   - tables: the names of the tables.
  ///   - hasInverse: whether there is a table from Lab to ink; it uses only black ink for dark colours.
  init(press deviceClass: String, tables names: [String], hasInverse: Bool) {
    self.init(deviceClass: deviceClass, space: "CMYK")
    tables = names.map { ($0, Self.inkColors) }
    guard hasInverse else { return }
    inks = (0..<8).map { $0 < 4 ? [0, 0, 0, 255] : [0, 0, 0, 0] }
  }
}
