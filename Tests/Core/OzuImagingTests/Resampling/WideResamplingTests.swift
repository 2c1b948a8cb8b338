import Foundation
import Testing

@testable import OzuImaging

@Suite("Resampling in 16 bits")
struct WideResamplingTests {
  private static func bitmap(
    _ size: PixelSize, isOpaque: Bool = true, space: ColorSpaceTag = .sRGB,
    _ value: (Int, Int) -> (Double, Double)
  ) -> Bitmap {
    Bitmap(size: size, format: .rgba16, isOpaque: isOpaque, colorSpace: space) { bytes, bytesPerRow in
      for y in 0..<size.height {
        for x in 0..<size.width {
          let (gray, alpha) = value(x, y)
          let word = UInt16(gray * alpha * 65_535 + 0.5)
          bytes.storeBytes(
            of: SIMD4(word, word, word, UInt16(alpha * 65_535 + 0.5)), toByteOffset: y * bytesPerRow + x * 8,
            as: SIMD4<UInt16>.self)
        }
      }
    }
  }

  private static func gray(_ bitmap: Bitmap, _ x: Int, _ y: Int) -> Double {
    bitmap.withUnsafeBytes {
      Double($0.load(fromByteOffset: y * bitmap.bytesPerRow + x * 8, as: UInt16.self)) / 65_535
    }
  }

  @Test("by 1:1 changes nothing")
  func identity() {
    let source = Self.bitmap(PixelSize(37, 5)) { x, y in (Double(x * 5 + y) / 190, 1) }
    let result = Picture(source).processedByCrop()
    #expect(result == source)
  }

  @Test("keeps a ramp that 8 bits do not have", arguments: ResamplingKernel.allCases)
  func ramp(kernel: ResamplingKernel) {
    let count = 1024
    let source = Self.bitmap(PixelSize(count, 4)) { x, _ in (0.25 + Double(x) / 65_535, 1) }
    let small = Picture(source).resized(
      Resize(PixelSize(128, 1), mode: .fill, allowsUpscaling: false, kernel: kernel)
    ).bitmap
    #expect(small.format == .rgba16 && small.isOpaque)
    let width = small.size.width
    for x in 2..<width - 2 {
      let expected = 0.25 + ((Double(x) + 0.5) * Double(count) / Double(width) - 0.5) / 65_535
      #expect(abs(Self.gray(small, x, 0) - expected) < 2.5 / 65_535, "\(x)")
    }
  }

  @Test(
    "averages light to a thousandth",
    arguments: [ColorSpaceTag.sRGB, .coded(primaries: 9, transfer: 16), .coded(primaries: 1, transfer: 8)])
  func light(space: ColorSpaceTag) {
    // Stripes of black and half of the full light.
    let curve: (Double) -> Double
    switch space {
    case .coded(_, 16): curve = { PerceptualQuantizer.value($0 * 10_000) }
    case .coded: curve = { $0 }
    default: curve = SRGBCurve.value
    }
    let source = Self.bitmap(PixelSize(256, 8), space: space) { x, _ in (x % 2 == 0 ? 0 : curve(0.5), 1) }
    let small = Resampler(kernel: .box, light: .linear).resample(
      source, region: PixelRegion(source.size), to: PixelSize(32, 1))
    for x in 0..<32 { #expect(abs(Self.gray(small, x, 0) - curve(0.25)) < 1.0 / 1024, "\(x)") }
    #expect(small.colorSpace == space)
  }

  @Test("gives transparent pixels no colour", arguments: ResamplingLight.allCases)
  func alpha(light: ResamplingLight) {
    let source = Self.bitmap(PixelSize(64, 2), isOpaque: false) { x, _ in x % 4 < 2 ? (0.5, 1) : (1, 0) }
    let small = Resampler(kernel: .box, light: light).resample(
      source, region: PixelRegion(source.size), to: PixelSize(16, 1))
    let alpha = small.withUnsafeBytes { Double($0.load(fromByteOffset: 6, as: UInt16.self)) / 65_535 }
    #expect(abs(alpha - 0.5) < 0.001 && abs(Self.gray(small, 0, 0) - 0.25) < 0.001)
  }

  @Test(
    "takes no more than its price", arguments: [PixelSize(3, 200), PixelSize(333, 7), PixelSize(2000, 40)])
  func extreme(size: PixelSize) {
    let source = Self.bitmap(size) { x, y in (Double((x + y) % 7) / 7, 1) }
    for target in [PixelSize(1, 1), PixelSize(5, 3), PixelSize(400, 9)] {
      let result = Resampler().resample(source, region: PixelRegion(size), to: target)
      #expect(result.size == target)
    }
  }

  @Test("ends at a processor that supports only 8 bits, with a note, and stays with others")
  func processors() throws {
    let source = Picture(Self.bitmap(PixelSize(40, 30)) { x, y in (Double(x * 30 + y) / 1200, 1) })
    let steps: [any ImageProcessing] = [
      Crop(.rectangle(PixelRectangle(x: 3, y: 2, width: 20, height: 10))), Turn.right,
    ]
    let turned = try source.processed(by: steps)
    #expect(turned.bitmap.format == .rgba16 && turned.notes.isEmpty && turned.size == PixelSize(10, 20))
    // A quarter clockwise: the left column of the crop is the top row.
    #expect(abs(Self.gray(turned.bitmap, 0, 0) - Double(3 * 30 + 11) / 1200) < 0.0001)
    let composed = try source.processed(by: [Composition(steps)])
    #expect(composed.bitmap == turned.bitmap && composed.notes.isEmpty)
    let adjusted = try source.processed(by: steps + [ColorAdjustment(brightness: 0.1)])
    #expect(adjusted.bitmap.format == .bgra8 && adjusted.notes.count == 1)
  }
}

extension Picture {
  fileprivate func processedByCrop() -> Bitmap? {
    let whole = Crop(.rectangle(PixelRectangle(x: 0, y: 0, width: size.width, height: size.height)))
    return try? processed(by: [whole]).bitmap
  }
}
