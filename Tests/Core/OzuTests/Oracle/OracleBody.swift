import Foundation
import OzuCodecs
import OzuTesting

@testable import Ozu

/// The files that the origins of the oracle's runs serve. No two show the same picture, so an answer tells which file it was made
/// from.
struct OracleBody: Sendable {
  let index: Int
  let name: String
  let data: Data
  /// Whether the file can be decoded as it is.
  let isWhole: Bool

  /// All files, made once for all seeds.
  static let all: [OracleBody] = {
    var bodies: [OracleBody] = []
    func add(_ name: String, isWhole: Bool = true, _ data: Data?) {
      guard let data else { return }
      bodies.append(OracleBody(index: bodies.count, name: name, data: data, isWhole: isWhole))
    }
    let codecs = CodecRegistry.standard
    let sizes = [
      PixelSize(64, 48), PixelSize(48, 64), PixelSize(33, 17), PixelSize(16, 16), PixelSize(64, 64),
    ]
    for round in 0..<6 {
      for (number, size) in sizes.enumerated() {
        let tint = round * sizes.count + number
        let type: ImageType = (round + number) % 2 == 0 ? .jpeg : .png
        add("\(type.rawValue) \(size)", try? codecs.encode(pattern(size, tint: tint), as: type))
      }
    }
    for tint in 30..<34 {
      let isOpaque = tint % 2 == 0
      add("png16", try? codecs.encode(wide(PixelSize(40, 30), tint: tint), as: .png))
      add(
        "clear png",
        try? codecs.encode(pattern(PixelSize(40, 30), tint: tint + 4, isOpaque: isOpaque), as: .png))
      add("gif", try? animation(PixelSize(24, 18), tint: tint + 8))
      // Colours of Display P3, by the numbers of ITU-T H.273.
      let wide = pattern(PixelSize(40, 30), tint: tint + 16).withColorSpace(
        .coded(primaries: 12, transfer: 13))
      add("wide png", try? codecs.encode(wide, as: .png))
    }
    for (number, tint) in [46, 47, 48, 49].enumerated() {
      // Turned, with a thumbnail that is not quite the picture: a request that allows it shows something else.
      let main = try? codecs.encode(pattern(PixelSize(64, 48), tint: tint), as: .jpeg)
      let thumbnail = try? codecs.encode(pattern(PixelSize(32, 24), tint: tint + 60), as: .jpeg)
      add(
        "turned jpeg",
        main.map { withEXIF($0, orientation: [6, 3, 8, 1][number], thumbnail: thumbnail ?? Data()) })
      add("webp", try? codecs.encode(pattern(PixelSize(40, 30), tint: tint + 4), as: .webp))
    }
    for tint in 42..<46 {
      let type: ImageType = tint % 2 == 0 ? .jpeg : .png
      let whole = try? codecs.encode(pattern(PixelSize(64, 48), tint: tint), as: type)
      add("cut off \(type.rawValue)", isWhole: false, whole.map { $0.prefix($0.count * 2 / 3) })
      add("damaged \(type.rawValue)", isWhole: false, whole.map { damaged($0, at: type == .png ? 20 : 25) })
      add("page", isWhole: false, Data("<!doctype html><html><body>\(tint)</body></html>".utf8))
    }
    for tint in 50..<52 {
      add(brightName, try? bright(tint: tint))
      add(profiledName, try? profiled(tint: tint))
    }
    return bodies
  }()

  private static let brightName = "jpeg with a gain map"
  private static let profiledName = "profiled png"
  /// The files that only operations of their own name: JPEG with gain maps, and PNG under ICC profiles.
  static let bright = all.filter { $0.name == brightName }.map(\.index)
  static let profiled = all.filter { $0.name == profiledName }.map(\.index)
  /// The number of the other files, which come first.
  static let usualCount = all.count - bright.count - profiled.count

  /// Those with several frames.
  static let moving = all.filter { $0.name == "gif" }.map(\.index)
  /// Those with a thumbnail that is not quite the picture.
  static let turned = all.filter { $0.name == "turned jpeg" }.map(\.index)
  /// The files that end in the middle.
  static let cut = all.filter { $0.name.hasPrefix("cut off") }.map(\.index)

  /// The files whose colours are not those of sRGB.
  static let wide = all.filter { $0.name == "wide png" }.map(\.index)

  /// A coarse gradient under fine stripes: each field of a recipe changes pixels of it.
  private static func pattern(_ size: PixelSize, tint: Int, isOpaque: Bool = true) -> Bitmap {
    Bitmap(size: size, isOpaque: isOpaque) { x, y in
      let value = color(x, y, size, tint)
      let alpha = isOpaque || x * 2 > size.width ? 255 : 120
      func part(_ value: Int) -> UInt8 { UInt8(value * alpha / 255) }
      return Pixel(
        red: part(value[0]), green: part(value[1]), blue: part(value[2]), alpha: UInt8(alpha))
    }
  }

  private static func color(_ x: Int, _ y: Int, _ size: PixelSize, _ tint: Int) -> [Int] {
    let stripe = (x + y) % 2 == 0 && x * 3 > size.width ? 110 : 0
    return [
      min(255, x * 140 / size.width + stripe), min(255, y * 140 / size.height + stripe),
      (tint * 37) % 140 + (x / 4 + y / 4 + tint) % 3 * 20,
    ]
  }

  private static func wide(_ size: PixelSize, tint: Int) -> Bitmap {
    Bitmap(size: size, format: .rgba16, isOpaque: true) { bytes, bytesPerRow in
      for y in 0..<size.height {
        for x in 0..<size.width {
          let parts = color(x, y, size, tint).map { UInt16($0 * 257 + (x * 7 + y) % 128) } + [.max]
          for (part, value) in parts.enumerated() {
            bytes.storeBytes(of: value, toByteOffset: y * bytesPerRow + x * 8 + part * 2, as: UInt16.self)
          }
        }
      }
    }
  }

  /// A photograph with a gain map (ISO 21496-1), which is brighter from left to right.
  private static func bright(tint: Int) throws -> Data {
    let numbers = GainMap(
      size: PixelSize(16, 12), bytes: 0..<0, channels: [.init(minimum: 0, maximum: 2)], alternateHeadroom: 2)
    let gains = Bitmap(size: numbers.size, isOpaque: true) { x, _ in
      Pixel(red: UInt8(x * 16), green: UInt8(x * 16), blue: UInt8(x * 16))
    }
    var notes: [String] = []
    return try CodecRegistry.standard.encode(
      pattern(PixelSize(64, 48), tint: tint),
      with: GainMapPicture(numbers, bitmap: gains.converted(to: .gray8)), notes: &notes)
  }

  /// A picture under a profile, of which nothing but the beginning is needed to keep it.
  private static func profiled(tint: Int) throws -> Data {
    var profile = [UInt8](repeating: 0, count: 132)
    profile[3] = 132
    profile.replaceSubrange(16..<20, with: Array("RGB ".utf8))
    profile.replaceSubrange(36..<40, with: Array("acsp".utf8))
    let picture = pattern(PixelSize(64, 48), tint: tint).withColorSpace(.icc(name: "unnamed profile"))
    let metadata = EncodedMetadata(colorProfile: Data(profile))
    return try CodecRegistry.standard.encode(picture, as: .png, options: EncodingOptions(metadata: metadata))
  }

  private static func animation(_ size: PixelSize, tint: Int) throws -> Data {
    let writer = try CodecRegistry.standard.animationEncoder(for: .gif).makeWriter(
      canvas: size, loopCount: 0, options: EncodingOptions())
    for frame in 0..<2 {
      try writer.append(pattern(size, tint: tint + frame * 5), duration: .milliseconds(100))
    }
    return try writer.finish()
  }

  /// A JPEG with EXIF data: a turn, and a thumbnail (CIPA DC-008, 4.5.8).
  private static func withEXIF(_ file: Data, orientation: UInt8, thumbnail: Data) -> Data {
    func number(_ value: Int, _ byteCount: Int = 4) -> [UInt8] {
      (0..<byteCount).map { UInt8(value >> ($0 * 8) & 255) }
    }
    func field(_ tag: Int, _ type: Int, _ value: Int) -> [UInt8] {
      number(tag, 2) + number(type, 2) + number(1) + number(value)
    }
    let tiff =
      Array("II".utf8) + number(42, 2) + number(8)
      + number(1, 2) + field(0x112, 3, Int(orientation)) + number(26)
      + number(3, 2) + field(0x103, 3, 6) + field(0x201, 4, 68) + field(0x202, 4, thumbnail.count) + number(0)
    let segment = Array("Exif\0\0".utf8) + tiff + thumbnail
    let length = segment.count + 2
    return file.prefix(2) + [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 255)] + segment
      + file.dropFirst(2)
  }

  private static func damaged(_ data: Data, at index: Int) -> Data {
    var data = data
    data[data.startIndex + index] ^= 0x5A
    return data
  }
}
