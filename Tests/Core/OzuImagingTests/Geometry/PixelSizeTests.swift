import OzuImaging
import Testing

@Suite("Sizes, regions and recipes")
struct PixelSizeTests {
  @Test("products that do not fit are the largest number instead of a crash")
  func saturates() {
    #expect(PixelSize(3, 4).pixelCount == 12)
    #expect(PixelSize(3, 4).byteCount(as: .bgra8) == 48)
    #expect(PixelSize(1 << 40, 1 << 40).pixelCount == .max)
    #expect(PixelSize(1 << 40, 1 << 22).byteCount(as: .bgra8) == .max)
    #expect(PixelSize(.max, 1).bitmapByteCount(as: .bgra8) == .max)
    // A process that was taken over can name any side.
    #expect(PixelSize(.min, 1).bitmapByteCount(as: .bgra8) == 0)
    #expect(PixelSize(1, .min).bitmapByteCount(as: .bgra8) == .max)
  }

  @Test("a size without a side is empty", arguments: [(0, 1), (1, 0), (-1, 5), (5, -1), (0, 0)])
  func empty(width: Int, height: Int) {
    #expect(PixelSize(width, height).isEmpty)
    #expect(!PixelSize(1, 1).isEmpty)
  }

  @Test("sizes read as width x height")
  func description() {
    #expect("\(PixelSize(width: 320, height: 240))" == "320x240")
    #expect(PixelSize(320, 240).transposed == PixelSize(240, 320))
  }

  @Test("a region scales with its picture")
  func regionScales() {
    let region = PixelRegion(x: 8, y: 16, width: 24, height: 4)
    #expect(
      region.scaled(horizontal: 0.125, vertical: 0.25) == PixelRegion(x: 1, y: 4, width: 3, height: 1))
  }

  @Test("recipes that differ have identifiers that differ, and equal recipes have equal ones")
  func identifiers() {
    var identifiers: Set<String> = []
    var recipes: Set<Resize> = []
    for size in [PixelSize(1, 12), PixelSize(11, 2)] {
      for mode in ScaleMode.allCases {
        for crops in [false, true] {
          for enlarges in [false, true] {
            for kernel in ResamplingKernel.allCases {
              let resize = Resize(size, mode: mode, crops: crops, allowsUpscaling: enlarges, kernel: kernel)
              identifiers.insert(resize.identifier)
              recipes.insert(resize)
            }
          }
        }
      }
    }
    #expect(identifiers.count == recipes.count)
    // Only `aspectFill` has something to crop.
    #expect(recipes.count == 2 * (ScaleMode.allCases.count + 1) * 2 * ResamplingKernel.allCases.count)
    // Keys on disk contain these identifiers, also the keys of releases whose recipes did not crop by default.
    let fill = Resize(PixelSize(320, 240), mode: .aspectFill)
    #expect(fill.identifier == "resize(320x240,aspectFill,c,lanczos3)")
    #expect(
      Resize(PixelSize(320, 240), mode: .aspectFill, crops: false).identifier
        == "resize(320x240,aspectFill,,lanczos3)")
    #expect(Resize(PixelSize(320, 240)).identifier == "resize(320x240,aspectFit,,lanczos3)")
  }
}
