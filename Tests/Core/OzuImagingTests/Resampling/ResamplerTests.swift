import OzuImaging
import OzuTesting
import Testing

@Suite("Resampler")
struct ResamplerTests {
  /// The whole of a picture at another size.
  private func resample(
    _ bitmap: Bitmap, _ width: Int, _ height: Int, _ kernel: ResamplingKernel = .lanczos3
  ) -> Bitmap {
    Resampler(kernel: kernel).resample(
      bitmap, region: PixelRegion(bitmap.size), to: PixelSize(width, height))
  }

  /// The filters that mix colours.
  static let mixing = ResamplingKernel.allCases.filter { $0 != .nearest }
  static let sides = [1, 2, 3, 7, 16, 40, 100]
  static let flats: [Pixel] = [
    Pixel(red: 255, green: 255, blue: 255), Pixel(red: 1, green: 127, blue: 254),
    Pixel(red: 3, green: 50, blue: 77, alpha: 77), .transparent,
  ]

  @Test("a picture of one colour does not change", arguments: ResamplingKernel.allCases, flats)
  func flat(kernel: ResamplingKernel, pixel: Pixel) {
    let isOpaque = pixel.alpha == 255
    for source in Self.sides {
      let bitmap = Bitmap.flat(pixel, size: PixelSize(source, 11), isOpaque: isOpaque)
      for target in Self.sides {
        let expected = Bitmap.flat(pixel, size: PixelSize(target, 5), isOpaque: isOpaque)
        #expect(resample(bitmap, target, 5, kernel) == expected, "\(source) to \(target)")
      }
    }
  }

  @Test("a picture of one colour does not change at huge factors", arguments: ResamplingKernel.allCases)
  func flatHuge(kernel: ResamplingKernel) {
    let pixel = Pixel(red: 255, green: 200, blue: 1)
    // 31,242 and 18,975 times the reciprocal of their factor are a little more than the number of samples in the
    // result.
    let sides = [
      (5000, 1), (5000, 3), (4999, 7), (1, 1000), (2, 500), (3001, 3000), (31_242, 1), (18_975, 1),
    ]
    for (source, target) in sides {
      let wide = Bitmap.flat(pixel, size: PixelSize(source, 2))
      #expect(resample(wide, target, 1, kernel) == .flat(pixel, size: PixelSize(target, 1)))
      let high = Bitmap.flat(pixel, size: PixelSize(2, source))
      #expect(resample(high, 1, target, kernel) == .flat(pixel, size: PixelSize(1, target)))
    }
  }

  @Test("opaque pictures stay opaque under every filter", arguments: ResamplingKernel.allCases)
  func opaque(kernel: ResamplingKernel) {
    let result = resample(.noise(size: PixelSize(33, 21)), 50, 13, kernel)
    #expect(result.isOpaque)
    #expect(result.pixels.allSatisfy { $0.alpha == 255 })
  }

  @Test("no colour exceeds alpha, even where a sharp filter rings", arguments: ResamplingKernel.allCases)
  func ringing(kernel: ResamplingKernel) {
    let opaqueWhite = Pixel(red: 255, green: 255, blue: 255)
    let tint = Pixel(red: 0, green: 40, blue: 90, alpha: 90)
    let checks = Bitmap(size: PixelSize(24, 24), isOpaque: false) { (x: Int, y: Int) -> Pixel in
      (x / 5 + y / 5).isMultiple(of: 2) ? opaqueWhite : tint
    }
    for (width, height) in [(31, 17), (10, 50), (24, 11), (5, 5)] {
      let result = resample(checks, width, height, kernel)
      #expect(!result.isOpaque)
      #expect(result.pixels.allSatisfy { max($0.red, $0.green, $0.blue) <= $0.alpha })
    }
  }

  @Test("transparent pixels do not darken their surroundings", arguments: mixing)
  func bleeding(kernel: ResamplingKernel) {
    let half = Bitmap(size: PixelSize(20, 20), isOpaque: false) { x, y in
      x + y < 19 ? .opaqueRed : .transparent
    }
    for (width, height) in [(7, 7), (45, 33), (20, 9)] {
      let pixels = resample(half, width, height, kernel).pixels
      // Straight colour is premultiplied colour over alpha: pure red wherever there is anything.
      #expect(pixels.allSatisfy { $0.red == $0.alpha && $0.green == 0 && $0.blue == 0 })
      #expect(pixels.contains { $0.alpha > 0 && $0.alpha < 255 })
    }
  }

  @Test("a symmetric picture gives a symmetric result", arguments: ResamplingKernel.allCases)
  func symmetry(kernel: ResamplingKernel) {
    for side in [8, 9, 31] {
      let noise = Bitmap.noise(size: PixelSize(side, side), seed: 8)
      let symmetric = Bitmap(size: noise.size) { x, y in noise[min(x, side - 1 - x), min(y, side - 1 - y)] }
      for (width, height) in [(5, 4), (4, 5), (23, 40), (side, 3), (3, side)] {
        let result = resample(symmetric, width, height, kernel)
        #expect(result.mirrored == result)
        #expect(result.upright(from: .downMirrored) == result)
      }
    }
  }

  @Test("mirroring before or after is the same", arguments: ResamplingKernel.allCases)
  func mirroring(kernel: ResamplingKernel) {
    let noise = Bitmap.noise(size: PixelSize(29, 12), seed: 6)
    for (width, height) in [(10, 5), (64, 30)] {
      #expect(
        resample(noise, width, height, kernel).mirrored == resample(noise.mirrored, width, height, kernel))
    }
  }

  @Test("the mean brightness is kept", arguments: mixing)
  func mean(kernel: ResamplingKernel) {
    // Grey in the middle of the range, so that nothing is clipped where the filter rings.
    var random = SeededGenerator(seed: 2)
    let source = Bitmap(size: PixelSize(60, 60)) { x, y in
      let isMargin = x < 12 || y < 12 || x >= 48 || y >= 48
      let value = isMargin ? 128 : UInt8.random(in: 90...166, using: &random)
      return Pixel(red: value, green: value, blue: value)
    }
    func mean(_ bitmap: Bitmap) -> Double {
      Double(bitmap.pixels.reduce(0) { $0 + Int($1.green) }) / Double(bitmap.size.pixelCount)
    }
    for side in [15, 20, 30] {
      #expect(abs(mean(resample(source, side, side, kernel)) - mean(source)) < 0.25)
    }
  }

  @Test(
    "an enlarged ramp is a ramp, except near its ends", arguments: [ResamplingKernel.bilinear, .catmullRom])
  func ramp(kernel: ResamplingKernel) {
    let source = Bitmap(size: PixelSize(24, 3)) { x, _ in
      Pixel(red: UInt8(x * 10), green: UInt8(x * 10), blue: UInt8(x * 10))
    }
    let result = resample(source, 240, 3, kernel)
    for x in 30..<210 {
      // The middle of pixel x is at (x + 0.5) / 10 of the source, whose value there is 10 × that - 5.
      let exact = Double(x) + 0.5 - 5
      #expect(abs(Double(result[x, 1].green) - exact) <= 0.51)
    }
  }

  @Test(
    "the box and the nearest pixel enlarge by repeating pixels", arguments: [ResamplingKernel.box, .nearest])
  func repeats(kernel: ResamplingKernel) {
    let source = Bitmap.noise(size: PixelSize(3, 2))
    let result = resample(source, 300, 20, kernel)
    #expect(result == Bitmap(size: result.size) { x, y in source[x / 100, y / 10] })
  }

  @Test(
    "the nearest pixel is that in the middle, in 8 and 16 bits, in stored values and in light, however far it is reduced"
  )
  func nearest() {
    let source = Bitmap.noise(size: PixelSize(3003, 21), seed: 3)
    for (bitmap, light) in [
      (source, ResamplingLight.asStored), (source, .linear), (source.converted(to: .rgba16), .asStored),
      (source.converted(to: .rgba16), .linear),
    ] {
      let result = Resampler(kernel: .nearest, light: light).resample(
        bitmap, region: PixelRegion(bitmap.size), to: PixelSize(11, 7))
      for y in 0..<7 {
        for x in 0..<11 { #expect(result[x, y] == source[x * 273 + 136, y * 3 + 1]) }
      }
    }
  }

  @Test("the box reduces to the rounded mean")
  func means() {
    let source = Bitmap.noise(size: PixelSize(8, 6), seed: 12)
    let result = resample(source, 2, 2, .box)
    let expected = Bitmap(size: result.size) { x, y in
      var sums = [0, 0, 0]
      for v in 0..<3 {
        for u in 0..<4 {
          let pixel = source[x * 4 + u, y * 3 + v]
          for c in 0..<3 { sums[c] += Int(pixel.components[c]) }
        }
      }
      let means = sums.map { UInt8((Double($0) / 12).rounded()) }
      return Pixel(red: means[2], green: means[1], blue: means[0])
    }
    #expect(
      zip(result.pixels, expected.pixels).allSatisfy { a, b in
        zip(a.components, b.components).allSatisfy { abs(Int($0) - Int($1)) <= 1 }
      })
  }

  @Test("a region that fits the size to the pixel is a copy", arguments: ResamplingKernel.allCases)
  func copies(kernel: ResamplingKernel) {
    let source = Bitmap.noise(size: PixelSize(21, 17), isOpaque: false)
    let resampler = Resampler(kernel: kernel)
    #expect(resampler.resample(source, region: PixelRegion(source.size), to: source.size) == source)
    let cut = resampler.resample(
      source, region: PixelRegion(x: 5, y: 3, width: 16, height: 9), to: PixelSize(16, 9))
    #expect(cut == Bitmap(size: PixelSize(16, 9), isOpaque: false) { source[$0 + 5, $1 + 3] })
  }

  @Test(
    "a region of any extent at any place gives pixels of the bitmap",
    arguments: [1e-300, 1e-9, 1e15, 1e300], [0, 2.5, -1e300, 1e300])
  func extremeRegions(extent: Double, origin: Double) {
    let source = Bitmap.flat(.opaqueRed, size: PixelSize(5, 7))
    for kernel in ResamplingKernel.allCases {
      let result = Resampler(kernel: kernel).resample(
        source, region: PixelRegion(x: origin, y: origin, width: extent, height: extent),
        to: PixelSize(3, 2))
      #expect(result == .flat(.opaqueRed, size: PixelSize(3, 2)))
    }
  }

  @Test("parts resized one by one meet without a seam", arguments: ResamplingKernel.allCases)
  func seams(kernel: ResamplingKernel) {
    let source = Bitmap.noise(size: PixelSize(40, 30), seed: 21)
    let whole = resample(source, 16, 12, kernel)
    for (column, row) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
      let part = Resampler(kernel: kernel).resample(
        source, region: PixelRegion(x: Double(column * 20), y: Double(row * 15), width: 20, height: 15),
        to: PixelSize(8, 6))
      let same = Bitmap(size: part.size) { whole[$0 + column * 8, $1 + row * 6] }
      #expect(
        zip(part.pixels, same.pixels).allSatisfy { a, b in
          zip(a.components, b.components).allSatisfy { abs(Int($0) - Int($1)) <= 1 }
        })
    }
  }

  @Test(
    "the box gives back a picture that was enlarged by a whole number",
    arguments: ResamplingLight.allCases, [5, 6, 11])
  func boxes(light: ResamplingLight, factor: Int) {
    let small = Bitmap.noise(size: PixelSize(7, 4), seed: 3, isOpaque: true)
    let large = Bitmap(size: PixelSize(7 * factor, 4 * factor)) { small[$0 / factor, $1 / factor] }
    let result = Resampler(kernel: .box, light: light).resample(
      large, region: PixelRegion(large.size), to: small.size)
    #expect(result == small)
  }

  @Test("the finest pattern becomes grey, not a moiré", arguments: mixing)
  func aliasing(kernel: ResamplingKernel) {
    let stripes = Bitmap(size: PixelSize(200, 4)) { x, _ in
      x % 2 == 0 ? Pixel(red: 255, green: 255, blue: 255) : Pixel(red: 0, green: 0, blue: 0)
    }
    let result = resample(stripes, 37, 4, kernel)
    let tolerance = kernel == .box ? 48 : 16
    for x in 4..<33 { #expect(abs(Int(result[x, 2].green) - 128) <= tolerance) }
  }

  @Test("colour space and opacity are those of the source", arguments: [false, true])
  func keepsTags(isOpaque: Bool) {
    let source = Bitmap(size: PixelSize(8, 8), isOpaque: isOpaque, colorSpace: .icc(name: "Display P3")) {
      bytes, _ in
      for index in bytes.indices { bytes[index] = 255 }
    }
    for size in [PixelSize(8, 8), PixelSize(4, 8), PixelSize(8, 4), PixelSize(3, 3)] {
      let result = Resampler().resample(source, region: PixelRegion(source.size), to: size)
      #expect(result.colorSpace == .icc(name: "Display P3"))
      #expect(result.isOpaque == isOpaque)
    }
  }

  @Test("memory comes from the pool, is a few rows besides the result, and goes back")
  func pool() {
    let pool = PixelBufferPool(retainedByteLimit: 0)
    let source = Bitmap.flat(.opaqueRed, size: PixelSize(100, 500))
    let result = Resampler().resample(
      source, region: PixelRegion(source.size), to: PixelSize(50, 250), pool: pool)
    #expect(pool.statistics.lentByteCount == 56 << 10)
    #expect(result.byteCount == 52_000)
    // A whole picture between the passes would take 200 KB.
    #expect(pool.statistics.peakLentByteCount <= 80 << 10)
  }
}
