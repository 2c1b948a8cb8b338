import Foundation
import OzuImaging

/// Writes TIFFs for tests: little-endian, one strip, or one for each plane, or tiles.
struct TIFFFile {
  var size: PixelSize
  var bits: Int
  /// The declared compression; the strips are as they are. 1 for none.
  var compression = 1
  /// 1 for grey, 2 for RGB, 3 for indices, 5 for CMYK, 8 for Lab.
  var photometric: Int
  var samplesPerPixel: Int
  /// The kind of the samples after the colours, as numbers of ExtraSamples; `nil` leaves the field out.
  var extraSamples: Int?
  /// The reds, the greens and the blues of the indices, in 16 bits.
  var palette: [Int]?
  /// What samples are, as a number of SampleFormat: 2 for signed integers. `nil` leaves the field out.
  var sampleFormat: Int?
  /// The horizontal resolution, which the writer of a file may state as any number of 32 bits, in inches.
  var resolution: Float?
  /// An ICC profile.
  var profile: Data?
  /// The size of the tiles; `nil` for strips.
  var tileSize: PixelSize?
  /// Whether the tiles are those of one plane after the other.
  var tilesLieInPlanes = false
  /// The strips: one, or the planes; or the tiles.
  var strips: [[UInt8]]
  /// The strips or tiles whose declared offset is after the end of the file.
  var missingStrips: Set<Int> = []

  var data: Data {
    let hasPlanes = tileSize == nil ? strips.count > 1 : tilesLieInPlanes
    var fields: [(tag: Int, type: Int, values: [Int])] = [
      (256, 4, [size.width]), (257, 4, [size.height]),
      (258, 3, Array(repeating: bits, count: samplesPerPixel)), (259, 3, [compression]),
      (262, 3, [photometric]),
      (273, 4, Array(repeating: 0, count: strips.count)), (277, 3, [samplesPerPixel]),
      (278, 4, [size.height]),
      (279, 4, strips.map(\.count)), (284, 3, [hasPlanes ? 2 : 1]),
    ]
    if let tileSize {
      fields.removeAll { [273, 278, 279].contains($0.tag) }
      fields += [
        (322, 4, [tileSize.width]), (323, 4, [tileSize.height]),
        (324, 4, Array(repeating: 0, count: strips.count)), (325, 4, strips.map(\.count)),
      ]
    }
    if let resolution {
      fields.append((282, 11, [Int(resolution.bitPattern)]))
      fields.append((296, 3, [2]))
    }
    if let palette { fields.append((320, 3, palette)) }
    if let extraSamples { fields.append((338, 3, [extraSamples])) }
    if let sampleFormat { fields.append((339, 3, Array(repeating: sampleFormat, count: samplesPerPixel))) }
    if let profile { fields.append((34_675, 7, profile.map { Int($0) })) }
    let directoryByteCount = 2 + fields.count * 12 + 4
    // Values that do not fit into a field follow the directory, and the strips follow these.
    var outside: [UInt8] = []
    func bytes(_ field: (tag: Int, type: Int, values: [Int])) -> [UInt8] {
      field.values.flatMap { Self.little($0, field.type == 3 ? 2 : field.type == 7 ? 1 : 4) }
    }
    let outsideByteCount = fields.reduce(0) { $0 + (bytes($1).count > 4 ? bytes($1).count : 0) }
    var offset = 8 + directoryByteCount + outsideByteCount
    let offsets = strips.map { strip in
      defer { offset += strip.count }
      return offset
    }
    if let index = fields.firstIndex(where: { [273, 324].contains($0.tag) }) {
      fields[index].values = offsets.enumerated().map { missingStrips.contains($0) ? 0x7FFF_0000 : $1 }
    }
    var directory = Self.little(fields.count, 2)
    for field in fields {
      let content = bytes(field)
      directory += Self.little(field.tag, 2) + Self.little(field.type, 2) + Self.little(field.values.count, 4)
      if content.count > 4 {
        directory += Self.little(8 + directoryByteCount + outside.count, 4)
        outside += content
      } else {
        directory += content + [UInt8](repeating: 0, count: 4 - content.count)
      }
    }
    directory += Self.little(0, 4)
    return Data(Array("II*\0".utf8) + Self.little(8, 4) + directory + outside + strips.joined())
  }

  static func little(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(value >> (8 * $0) & 255) }
  }

  /// Packs samples bit by bit, the highest first; rows begin at whole bytes.
  static func packed(_ samples: [Int], bits: Int, perRow: Int) -> [UInt8] {
    stride(from: 0, to: samples.count, by: perRow).flatMap { start -> [UInt8] in
      let row = samples[start..<start + perRow].flatMap { sample in
        (0..<bits).map { UInt8(sample >> (bits - 1 - $0) & 1) }
      }
      return stride(from: 0, to: row.count, by: 8).map { byte in
        row[byte..<min(byte + 8, row.count)].enumerated().reduce(0) {
          $0 | $1.element << UInt8(7 - $1.offset)
        }
      }
    }
  }
}
