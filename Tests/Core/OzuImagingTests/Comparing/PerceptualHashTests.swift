import Foundation
import OzuTesting
import Testing

@testable import OzuImaging

@Suite("PerceptualHash")
struct PerceptualHashTests {
  /// Changes after which a picture is still the same to people.
  enum Change: Sendable, CaseIterable {
    case smaller, larger, wider, blurred, brighter, wide
  }

  @Test("copies in another size, sharpness, brightness or depth are near", arguments: Change.allCases)
  func copies(change: Change) throws {
    for seed in 1...8 as ClosedRange<UInt64> {
      let picture = Self.shapes(seed: seed)
      let copy: Bitmap =
        switch change {
        case .smaller: try Resize(PixelSize(60, 45)).process(picture)
        case .larger: try Resize(PixelSize(640, 480), allowsUpscaling: true).process(picture)
        case .wider: try Resize(PixelSize(200, 90), mode: .fill).process(picture)
        case .blurred: try GaussianBlur(radius: 1.5).process(picture)
        case .brighter: try ColorAdjustment(brightness: 0.08).process(picture)
        case .wide: picture.converted(to: .rgba16)
        }
      #expect(PerceptualHash(picture).distance(to: PerceptualHash(copy)) <= 8, "seed \(seed)")
    }
  }

  @Test("other pictures are far, and so are mirrored ones")
  func others() {
    let hashes = (1...12 as ClosedRange<UInt64>).map { PerceptualHash(Self.shapes(seed: $0)) }
    for (index, hash) in hashes.enumerated() {
      for other in hashes[(index + 1)...] { #expect(hash.distance(to: other) > 12) }
      let mirrored = PerceptualHash(Self.shapes(seed: UInt64(index + 1)).mirrored)
      #expect(hash.distance(to: mirrored) > 12)
    }
  }

  @Test("a picture of one colour has no bits, whatever its size")
  func flat() {
    for size in [PixelSize(1, 1), PixelSize(3, 200), PixelSize(32, 32), PixelSize(301, 77)] {
      for pixel in [Pixel.white, .black, Pixel(red: 201, green: 17, blue: 90)] {
        #expect(PerceptualHash(.flat(pixel, size: size)).bits == 0)
      }
    }
    #expect(PerceptualHash(.flat(.clear, size: PixelSize(9, 9), isOpaque: false)).bits == 0)
  }

  @Test("drawings on transparent ground have a hash, in black and in white")
  func transparent() {
    for ink in [Pixel.black, .white] {
      let drawing = Bitmap(size: PixelSize(64, 64), isOpaque: false) { x, y in
        x * x + y * y < 1600 ? ink : .clear
      }
      #expect(PerceptualHash(drawing).bits != 0)
    }
  }

  @Test("a hash is written as 16 digits and read again; other texts are refused")
  func text() throws {
    let hash = PerceptualHash(bits: 0x00C0_FFEE_1234_5678)
    #expect("\(hash)" == "00c0ffee12345678")
    #expect(PerceptualHash("\(hash)") == hash)
    #expect(try JSONDecoder().decode(PerceptualHash.self, from: JSONEncoder().encode(hash)) == hash)
    for text in ["", "0", "00c0ffee1234567", "00c0ffee123456789", "+0c0ffee12345678", "00c0ffee1234567g"] {
      #expect(PerceptualHash(text) == nil)
    }
    #expect(hash.distance(to: PerceptualHash(bits: 0x00C0_FFEE_1234_5679)) == 1)
    #expect(PerceptualHash(bits: 0).distance(to: PerceptualHash(bits: .max)) == 64)
  }

  /// Rectangles of random places and greys.
  private static func shapes(seed: UInt64) -> Bitmap {
    var random = SeededGenerator(seed: seed)
    let shapes = (0..<9).map { _ -> (x: Range<Int>, y: Range<Int>, pixel: Pixel) in
      let (left, top) = (Int.random(in: 0..<140, using: &random), Int.random(in: 0..<100, using: &random))
      let (width, height) = (Int.random(in: 20..<90, using: &random), Int.random(in: 20..<80, using: &random))
      func value() -> UInt8 { UInt8.random(in: 0...255, using: &random) }
      return (left..<left + width, top..<top + height, Pixel(red: value(), green: value(), blue: value()))
    }
    return Bitmap(size: PixelSize(160, 120)) { x, y in
      shapes.last { $0.x.contains(x) && $0.y.contains(y) }?.pixel ?? .white
    }
  }
}
