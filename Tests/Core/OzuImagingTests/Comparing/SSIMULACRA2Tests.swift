import Testing

@testable import OzuImaging

@Suite("SSIMULACRA 2.1")
struct SSIMULACRA2Tests {
  /// Ways to spoil the picture.
  enum Damage: Sendable {
    case steps, blocks, noise, blur, bright, red
  }

  /// Scores of <https://github.com/cloudinary/ssimulacra2> (81feacf) for these pixels. Its rounding differs between
  /// processors by up to 0.1 here, most in flat areas.
  @Test(
    "scores are those of the reference",
    arguments: [
      (PixelSize(8, 8), .noise, 94.09), (PixelSize(9, 31), .blur, 92.03), (PixelSize(64, 64), .steps, 58.74),
      (PixelSize(65, 33), .red, 79.47), (PixelSize(128, 96), .blocks, 15.04),
      (PixelSize(200, 150), .noise, 85.80), (PixelSize(257, 131), .blur, 61.08),
      (PixelSize(64, 48), .bright, 93.10), (PixelSize(300, 260), .steps, 79.00),
      (PixelSize(260, 280), .red, 67.57), (PixelSize(260, 280), .blocks, 35.61),
    ] as [(PixelSize, Damage, Double)])
  func reference(size: PixelSize, damage: Damage, score: Double) throws {
    let original = Self.picture(size) { Self.value($0, $1, $2) }
    let copy = Self.picture(size) { x, y, channel in
      Self.damaged(damage, x, y, channel, width: size.width)
    }
    #expect(abs(try SSIMULACRA2.score(of: copy, original: original) - score) < 0.15)
    let wide = try SSIMULACRA2.score(
      of: copy.converted(to: .rgba16), original: original.converted(to: .rgba16))
    #expect(abs(wide - score) < 0.15)
    #expect(try SSIMULACRA2.score(of: original, original: original) == 100)
  }

  @Test("transparent pixels are blended with dark and light grey, and the lower score counts")
  func transparency() throws {
    let size = PixelSize(96, 80)
    func picture(_ value: (Int, Int, Int) -> Int) -> Bitmap {
      Bitmap(size: size, isOpaque: false) { x, y in
        let alpha = [255, 128, 0, 64][(x / 12 + y / 12) % 4]
        func part(_ channel: Int) -> UInt8 {
          UInt8((max(0, min(255, value(x, y, channel))) * alpha + 127) / 255)
        }
        return Pixel(red: part(0), green: part(1), blue: part(2), alpha: UInt8(alpha))
      }
    }
    let score = try SSIMULACRA2.score(
      of: picture { Self.damaged(.steps, $0, $1, $2, width: size.width) },
      original: picture { Self.value($0, $1, $2) })
    #expect(abs(score - 67.65) < 0.15)
  }

  @Test("pictures that cannot be compared are refused, and so are those over the limits")
  func refusals() {
    func gray(_ size: PixelSize) -> Bitmap { Bitmap(size: size) { _, _ in .white } }
    let picture = gray(PixelSize(20, 10))
    let bright = picture.withColorSpace(.coded(primaries: 9, transfer: 16))
    let pairs: [(Bitmap, Bitmap, DecodingLimits, ImageComparisonError)] = [
      (picture, gray(PixelSize(10, 20)), .default, .differentSizes(PixelSize(10, 20), PixelSize(20, 10))),
      (gray(PixelSize(9, 7)), gray(PixelSize(9, 7)), .default, .tooSmall(PixelSize(9, 7))),
      (picture, bright, .default, .differentColors(bright.colorSpace, .sRGB)),
      (bright, bright, .default, .highDynamicRange),
      (
        picture, picture, DecodingLimits(pixelCount: 199),
        .limitExceeded(.init(.pixelCount, value: 200, limit: 199))
      ),
      (
        picture, picture, DecodingLimits(decodedByteCount: 1000),
        .limitExceeded(
          .init(.decodedByteCount, value: SSIMULACRA2.workingByteCount(width: 20), limit: 1000))
      ),
    ]
    for (original, copy, limits, expected) in pairs {
      #expect(throws: expected) {
        try SSIMULACRA2.score(of: copy, original: original, limits: limits)
      }
    }
  }

  // MARK: Pictures

  private static func picture(_ size: PixelSize, _ value: (Int, Int, Int) -> Int) -> Bitmap {
    Bitmap(size: size) { x, y in
      func part(_ channel: Int) -> UInt8 { UInt8(max(0, min(255, value(x, y, channel)))) }
      return Pixel(red: part(0), green: part(1), blue: part(2))
    }
  }

  /// Slopes, edges and noise.
  private static func value(_ x: Int, _ y: Int, _ channel: Int) -> Int {
    20 + (x * 3 + y * 2 + channel * 40) % 128 + (x / 16 + y / 16) % 2 * 50 + noise(x, y, channel) & 31
  }

  private static func damaged(_ damage: Damage, _ x: Int, _ y: Int, _ channel: Int, width: Int) -> Int {
    let value = value(x, y, channel)
    switch damage {
    case .steps: return value / 24 * 24 + 12
    case .blocks: return Self.value(x / 2 * 2, y / 2 * 2, channel)
    case .noise: return value + noise(x + 7, y + 3, channel) & 15 - 8
    case .blur:
      let neighbours = Self.value(max(0, x - 1), y, channel) + Self.value(min(width - 1, x + 1), y, channel)
      return (neighbours + 2 * value) / 4
    case .bright: return value + 12
    case .red: return value + (channel == 0 && x % 8 < 4 ? 20 : 0)
    }
  }

  private static func noise(_ x: Int, _ y: Int, _ channel: Int) -> Int {
    var bits = UInt32(x) &* 374_761_393 &+ UInt32(y) &* 668_265_263 &+ UInt32(channel) &* 974_634_777
    bits = (bits ^ (bits >> 13)) &* 1_274_126_177
    return Int(bits >> 24)
  }
}
