import Foundation

/// Writes ICC profiles of a scanner (ICC.1:2001-04) whose colours come from tables, one for each rendering intent. The
/// result of a conversion shows which table was taken.
///
/// Each table turns equal amounts of red, green and blue into a grey; the lightest has the lightness that is given.
struct LookupProfile {
  /// L* of white by the table for perceptual rendering (A2B0).
  var perceptualLightness: Int
  /// L* of white by the table for colorimetric rendering (A2B1).
  var colorimetricLightness: Int
  /// The white of the medium as X, Y and Z, by which absolute colorimetric rendering multiplies.
  var mediaWhite: [Double]

  var data: Data {
    let tags = [
      ("wtpt", Array("XYZ ".utf8) + [0, 0, 0, 0] + mediaWhite.flatMap(fixed)),
      ("A2B0", table(whiteLightness: perceptualLightness)),
      ("A2B1", table(whiteLightness: colorimetricLightness)),
    ]
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
    var bytes = long(size) + [0, 0, 0, 0] + [2, 0x40, 0, 0] + Array("scnrRGB Lab ".utf8)
    // A date, then the signature of all profiles.
    bytes += [0x07, 0xD0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0] + Array("acsp".utf8)
    bytes += [UInt8](repeating: 0, count: 28)
    // D50, under which profiles meet.
    bytes += [0.9642, 1, 0.8249].flatMap(fixed)
    return bytes + [UInt8](repeating: 0, count: 128 - bytes.count)
  }

  /// A table of type `lut8Type` with two steps on each axis.
  private func table(whiteLightness: Int) -> [UInt8] {
    let identity = [1, 0, 0, 0, 1, 0, 0, 0, 1].flatMap(fixed)
    let ramp = (0...255).map { UInt8($0) }
    let corners = (0..<8).flatMap { corner -> [UInt8] in
      let lightness = Double(whiteLightness) * Double(corner.nonzeroBitCount) / 3
      return [UInt8((lightness * 2.55).rounded()), 128, 128]
    }
    return Array("mft1".utf8) + [0, 0, 0, 0, 3, 3, 2, 0] + identity + ramp + ramp + ramp + corners + ramp
      + ramp
      + ramp
  }

  private func long(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(value >> (24 - 8 * $0) & 255) } }

  /// A number with 16 bits behind the point.
  private func fixed(_ value: Double) -> [UInt8] { long(Int((value * 65_536).rounded())) }
}
