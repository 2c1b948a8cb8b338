import Testing

@testable import OzuImaging

@Suite("Resampling of planes")
struct PlaneResamplingTests {
  private func plane(
    _ size: PixelSize, extent: (Double, Double)? = nil, _ value: (Int, Int) -> Int
  ) -> SamplePlane {
    let plane = SamplePlane(
      columnCount: size.width, rowCount: size.height, extentWidth: extent?.0 ?? Double(size.width),
      extentHeight: extent?.1 ?? Double(size.height))
    for y in 0..<size.height {
      for x in 0..<size.width { plane.samples[y * plane.samplesPerRow + x] = Int16(value(x, y) << 6) }
    }
    return plane
  }

  private let whole = PixelRegion(x: 0, y: 0, width: 1, height: 1)

  static let targets = [
    PixelSize(1, 1), PixelSize(7, 5), PixelSize(20, 15), PixelSize(61, 40), PixelSize(61, 7),
    PixelSize(3, 40),
    PixelSize(100, 90),
  ]

  @Test("gives the same result as a grey bitmap", arguments: targets, ResamplingKernel.allCases)
  func likeBitmaps(target: PixelSize, kernel: ResamplingKernel) {
    let size = PixelSize(61, 40)
    func value(_ x: Int, _ y: Int) -> Int { (x * 5 + y * 3) % 200 + (x / 7 + y / 5) % 2 * 50 }
    let bitmap = Bitmap(size: size) { x, y in
      let gray = UInt8(value(x, y))
      return Pixel(red: gray, green: gray, blue: gray)
    }
    let planes = PlanarPicture(luma: plane(size, value))
    let resampler = Resampler(kernel: kernel)
    let result = resampler.resample(planes, region: whole, to: target)
    let expected = resampler.resample(bitmap, region: PixelRegion(size), to: target)
    #expect(result.size == target)
    #expect(result.isOpaque)
    for y in 0..<target.height {
      for x in 0..<target.width {
        #expect(abs(Int(result[x, y].green) - Int(expected[x, y].green)) <= 1)
        #expect(result[x, y].alpha == 255)
      }
    }
  }

  @Test("averages first where the reduction is huge", arguments: [PixelSize(1, 1), PixelSize(3, 2)])
  func huge(target: PixelSize) {
    let size = PixelSize(900, 700)
    let planes = PlanarPicture(luma: plane(size) { x, y in 50 + (x + y) % 100 })
    let result = Resampler().resample(planes, region: whole, to: target)
    for y in 0..<target.height {
      for x in 0..<target.width { #expect(abs(Int(result[x, y].red) - 99) <= 1) }
    }
  }

  @Test("reads no sample beyond the picture's extent, to a fraction of a sample")
  func extent() {
    // A quarter of the last column is inside; the rows below the extent must not be read.
    let size = PixelSize(24, 16)
    let planes = PlanarPicture(
      luma: plane(size, extent: (16.25, 12)) { x, y in x > 16 || y > 11 ? 255 : x == 16 ? 200 : 100 })
    let result = Resampler(kernel: .box).resample(planes, region: whole, to: PixelSize(1, 1))
    #expect(result[0, 0].red == UInt8((100 * 16 + 200 * 0.25) / 16.25 + 0.5))
  }

  @Test("aligns chroma of another resolution with luma")
  func chroma() {
    // Blue in the left half, in chroma with a quarter of luma's samples.
    let luma = plane(PixelSize(64, 64)) { _, _ in 100 }
    let blue = plane(PixelSize(16, 16)) { x, _ in x < 8 ? 180 : 128 }
    let red = plane(PixelSize(16, 16)) { _, _ in 128 }
    let result = Resampler(kernel: .box).resample(
      PlanarPicture(luma: luma, chroma: (blue, red)), region: whole, to: PixelSize(8, 8))
    #expect(result[3, 4] == Pixel(red: 100, green: 82, blue: 192))
    #expect(result[4, 4] == Pixel(red: 100, green: 100, blue: 100))
  }

  @Test("converts colours by the formulas of JFIF", arguments: [0, 1, 77, 128, 200, 254, 255])
  func colors(luma: Int) {
    for (blue, red) in [(128, 128), (0, 0), (255, 255), (90, 170), (255, 0), (0, 255)] {
      let size = PixelSize(4, 1)
      let planes = PlanarPicture(
        luma: plane(size) { _, _ in luma },
        chroma: (plane(size) { _, _ in blue }, plane(size) { _, _ in red }))
      let pixel = Resampler().resample(planes, region: whole, to: size)[1, 0]
      let (y, b, r) = (Double(luma), Double(blue) - 128, Double(red) - 128)
      let exact = [y + 1.402 * r, y - 0.344_136 * b - 0.714_136 * r, y + 1.772 * b]
      for (value, expected) in zip([pixel.red, pixel.green, pixel.blue], exact) {
        #expect(abs(Double(value) - min(max(expected, 0), 255)) <= 0.52)
      }
    }
  }

  @Test("shows a part as the same part of the whole")
  func region() {
    let planes = PlanarPicture(luma: plane(PixelSize(80, 60)) { x, y in (x * 3 + y * 2) % 256 })
    let all = Resampler().resample(planes, region: whole, to: PixelSize(40, 30))
    let half = Resampler().resample(
      planes, region: PixelRegion(x: 0.25, y: 0.5, width: 0.5, height: 0.5), to: PixelSize(20, 15))
    for y in 0..<15 {
      for x in 0..<20 { #expect(abs(Int(half[x, y].red) - Int(all[x + 10, y + 15].red)) <= 1) }
    }
  }
}
