import Foundation
import Testing

@testable import OzuImaging

@Suite("Overlay")
struct OverlayTests {
  private static let base = Bitmap.noise(size: PixelSize(31, 23), seed: 7, isOpaque: false)
  private static let mark = Bitmap.noise(size: PixelSize(9, 6), seed: 8, isOpaque: false)

  private static func run(
    _ picture: Bitmap, _ placement: Placement, on base: Bitmap = base
  ) throws(ProcessingError) -> Bitmap {
    try Overlay(picture, key: "k", placement).process(base)
  }

  @Test(
    "on whole pixels each pixel is mixed as it is, once or as tiles",
    arguments: [
      Placement(x: 3, y: 4), Placement(x: -4, y: 20), Placement(x: -2, y: 3, anchor: .right, opacity: 0.4),
      Placement(anchor: .center, blendMode: .difference), Placement(x: 400, y: 1),
      Placement(x: -1e300, y: 1e300),
      Placement(x: 5, y: -3, blendMode: .multiply, tileGap: PixelSize(width: 0, height: 0)),
      Placement(x: 5, y: -30, opacity: 0.7, light: .linear, tileGap: PixelSize(width: 4, height: 1)),
      Placement(x: 2, y: 2, rotation: 720, blendMode: .plus),
    ])
  func whole(placement: Placement) throws {
    let result = try Self.run(Self.mark, placement)
    let (size, inner) = (Self.base.size, Self.mark.size)
    let corner = placement.anchor.origin(of: inner, in: size)
    let (left, top) = (Double(corner.x) + placement.x, Double(corner.y) + placement.y)
    for y in 0..<size.height {
      for x in 0..<size.width {
        var (u, v) = (Double(x) - left, Double(y) - top)
        if let gap = placement.tileGap {
          let (across, down) = (Double(inner.width + gap.width), Double(inner.height + gap.height))
          u -= (u / across).rounded(.down) * across
          v -= (v / down).rounded(.down) * down
        }
        var expected = Self.base[x, y]
        if u >= 0, v >= 0, u < Double(inner.width), v < Double(inner.height) {
          let veil = UInt8((placement.opacity * 255).rounded())
          let pixel = Self.mark[Int(u), Int(v)].covered(by: veil)
          expected =
            placement.light == .linear
            ? placement.blendMode.blendLight(pixel, expected, .shared)
            : placement.blendMode.blend(pixel, expected)
        }
        #expect(result[x, y] == expected, "at \(x), \(y)")
      }
    }
  }

  @Test(
    "right angles move pixels, and keep the centre", arguments: [90, -90, 180, 270, 450, -180] as [Double])
  func rightAngles(angle: Double) throws {
    let turn: Turn = angle == 90 || angle == 450 ? .right : abs(angle) == 180 ? .around : .left
    let turned = try turn.process(Self.mark)
    let result = try Self.run(Self.mark, Placement(x: 10, y: 8, rotation: angle))
    let shift = turned.size == Self.mark.size ? (x: 0.0, y: 0.0) : (x: 1.0, y: -2.0)
    #expect(try result == Self.run(turned, Placement(x: 10 + shift.x, y: 8 + shift.y)))
  }

  @Test(
    "a turned picture has its area and its centre, and its edges are antialiased",
    arguments: [7, 30, 45, 121.5])
  func area(angle: Double) throws {
    let canvas = Bitmap.flat(.clear, size: PixelSize(80, 80), isOpaque: false)
    let flat = Bitmap.flat(Pixel(red: 200, green: 100, blue: 0), size: PixelSize(40, 25))
    let result = try Self.run(flat, Placement(anchor: .center, rotation: angle), on: canvas)
    var (sum, across, down, isMixed) = (0.0, 0.0, 0.0, false)
    for y in 0..<80 {
      for x in 0..<80 {
        let alpha = Double(result[x, y].alpha) / 255
        sum += alpha
        across += alpha * (Double(x) + 0.5)
        down += alpha * (Double(y) + 0.5)
        if alpha > 0.2, alpha < 0.8 { isMixed = true }
        if alpha == 1 { #expect(result[x, y] == Pixel(red: 200, green: 100, blue: 0)) }
      }
    }
    #expect(abs(sum - 1000) < 8)
    // An odd height has its centre between pixels.
    #expect(abs(across / sum - 40) < 0.05)
    #expect(abs(down / sum - 39.5) < 0.05)
    #expect(isMixed)
  }

  @Test("a place between pixels divides the edge among both")
  func fractions() throws {
    let canvas = Bitmap.flat(.clear, size: PixelSize(12, 12), isOpaque: false)
    let result = try Self.run(
      .flat(.white, size: PixelSize(4, 4)), Placement(x: 3.25, y: 5), on: canvas)
    #expect((2...8).map { result[$0, 6].alpha } == [0, 191, 255, 255, 255, 64, 0])
    #expect((4...9).map { result[5, $0].alpha } == [0, 255, 255, 255, 255, 0])
  }

  @Test("turned tiles without a gap have no seams")
  func seams() throws {
    let canvas = Bitmap.flat(.clear, size: PixelSize(50, 50), isOpaque: false)
    let tiles = Placement(x: 3, y: 4.5, rotation: 33, tileGap: PixelSize(width: 0, height: 0))
    let result = try Self.run(.flat(.opaqueRed, size: PixelSize(7, 5)), tiles, on: canvas)
    #expect(result.pixels.allSatisfy { $0 == .opaqueRed })
    let apart = try Self.run(
      .flat(.opaqueRed, size: PixelSize(7, 5)),
      Placement(rotation: 33, tileGap: PixelSize(width: 7, height: 5)),
      on: canvas)
    let cover = apart.pixels.reduce(0.0) { $0 + Double($1.alpha) / 255 } / 2500
    #expect(abs(cover - 0.25) < 0.02)
  }

  @Test("a size is resampled, and the picture may have any format")
  func sizes() throws {
    let placement = Placement(x: 2, y: 1, size: PixelSize(width: 18, height: 12))
    let large = try Resize(PixelSize(18, 12), mode: .fill, allowsUpscaling: true).process(Self.mark)
    #expect(try Self.run(Self.mark, placement) == Self.run(large, Placement(x: 2, y: 1)))
    let gray = Bitmap.flat(.white, size: PixelSize(3, 3)).converted(to: .gray8)
    #expect(try Self.run(gray, Placement())[1, 1] == .white)
  }

  @Test(
    "placements that say nothing are refused",
    arguments: [
      Placement(x: .nan), Placement(y: .infinity), Placement(rotation: .nan), Placement(opacity: 1.1),
      Placement(opacity: .nan), Placement(size: PixelSize(width: 0, height: 3)),
      Placement(size: PixelSize(width: 1 << 40, height: 3)),
      Placement(tileGap: PixelSize(width: -1, height: 0)),
    ])
  func refusals(placement: Placement) {
    #expect(throws: ProcessingError.self) { try Self.run(Self.mark, placement) }
  }

  @Test("placements are read with defaults, written and read again, and every value is in the identifier")
  func coding() throws {
    let decoder = JSONDecoder()
    #expect(try decoder.decode(Placement.self, from: Data("{}".utf8)) == Placement())
    let all = [
      Placement(), Placement(x: 1), Placement(y: 1), Placement(anchor: .bottom),
      Placement(size: PixelSize(width: 1, height: 2)), Placement(rotation: 1), Placement(opacity: 0.5),
      Placement(blendMode: .softLight), Placement(light: .linear),
      Placement(tileGap: PixelSize(width: 1, height: 2)),
    ]
    for placement in all {
      #expect(try decoder.decode(Placement.self, from: JSONEncoder().encode(placement)) == placement)
    }
    #expect(Set(all.map { Overlay(Self.mark, $0).identifier }).count == all.count)
  }
}
