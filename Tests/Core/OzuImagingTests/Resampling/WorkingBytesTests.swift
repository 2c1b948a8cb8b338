import OzuBase
import OzuTesting
import Testing

@testable import OzuImaging

/// The memory of a resize is reserved before, so it must be known before: never less than is taken, and not much
/// more.
@Suite("Memory of the resampler")
struct WorkingBytesTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var source: PixelSize
    var region: PixelRegion?
    var output: PixelSize

    var shown: PixelRegion { region ?? PixelRegion(source) }
    var testDescription: String { "\(source) \(region.map { "\($0)" } ?? "") to \(output)" }
  }

  /// The sizes are quarters of powers of two, which the pool lends without rounding.
  static let cases: [Case] = [
    Case(source: PixelSize(1024, 1024), output: PixelSize(512, 512)),
    Case(source: PixelSize(1024, 1024), output: PixelSize(896, 1024)),
    Case(source: PixelSize(1024, 1024), output: PixelSize(64, 64)),
    Case(source: PixelSize(1024, 1024), output: PixelSize(4, 4)),
    Case(source: PixelSize(4096, 256), output: PixelSize(64, 64)),
    Case(source: PixelSize(256, 4096), output: PixelSize(64, 64)),
    Case(source: PixelSize(4096, 256), output: PixelSize(4096, 16)),
    Case(source: PixelSize(4096, 64), output: PixelSize(16, 64)),
    Case(source: PixelSize(64, 8192), output: PixelSize(64, 16)),
    Case(source: PixelSize(64, 64), output: PixelSize(1024, 1024)),
    Case(source: PixelSize(16, 16), output: PixelSize(2048, 16)),
    Case(source: PixelSize(1, 1), output: PixelSize(256, 256)),
    Case(source: PixelSize(1024, 1024), output: PixelSize(1024, 512)),
    Case(source: PixelSize(1024, 1024), output: PixelSize(512, 1024)),
    Case(
      source: PixelSize(1024, 1024), region: PixelRegion(x: 300.5, y: 100.25, width: 200, height: 600.5),
      output: PixelSize(128, 256)),
    Case(
      source: PixelSize(1024, 1024), region: PixelRegion(x: 10, y: 20, width: 512, height: 512),
      output: PixelSize(512, 512)),
    Case(
      source: PixelSize(1024, 1024), region: PixelRegion(x: -100, y: -50, width: 3000, height: 2000),
      output: PixelSize(64, 64)),
  ]

  /// The most memory that a resize takes from a pool, beside source and result.
  private func taken(_ entry: Case, _ resampler: Resampler, isOpaque: Bool) -> Int {
    let source = Bitmap(size: entry.source, isOpaque: isOpaque) { bytes, _ in
      bytes.initializeMemory(as: UInt8.self, repeating: 255)
    }
    let pool = PixelBufferPool(retainedByteLimit: 0)
    let result = resampler.resample(source, region: entry.shown, to: entry.output, pool: pool)
    return pool.statistics.peakLentByteCount - PixelBufferPool.sizeClass(result.byteCount)
  }

  @Test(
    "is at most the computed number, and not much less", arguments: cases,
    Cases.every(3, of: Array(ResamplingKernel.allCases)))
  func pixels(_ entry: Case, kernel: ResamplingKernel) {
    for light in [ResamplingLight.asStored, .linear] {
      let resampler = Resampler(kernel: kernel, light: light)
      let promised = resampler.workingByteCount(of: entry.source, region: entry.shown, to: entry.output)
      for isOpaque in [true, false] {
        let taken = taken(entry, resampler, isOpaque: isOpaque)
        #expect(taken <= promised, "\(light)")
        // Tables are counted too, and steps and strips are assumed to be as large as possible.
        #expect(promised <= 5 * taken + (1 << 20), "\(light)")
      }
    }
  }

  @Test("of planes is at most the computed number", arguments: cases, [1, 3, 4])
  func planes(_ entry: Case, count: Int) {
    let pool = PixelBufferPool(retainedByteLimit: 0)
    let planes = (0..<count).map { _ in
      SamplePlane(
        columnCount: entry.source.width, rowCount: entry.source.height,
        extentWidth: Double(entry.source.width), extentHeight: Double(entry.source.height),
        lift: .mean(columns: 2, rows: 2))
    }
    let picture =
      count == 1
      ? PlanarPicture(luma: planes[0])
      : count == 3
        ? PlanarPicture(luma: planes[0], chroma: (planes[1], planes[2]))
        : PlanarPicture(blue: planes[0], green: planes[1], red: planes[2], alpha: planes[3])
    let layout = PlaneLayout(
      chromaStep: count == 3 ? .init(horizontal: 1, vertical: 1) : nil,
      source: count == 4 ? .rows : .frequencies)
    let resampler = Resampler()
    let region = entry.shown.scaled(
      horizontal: 1 / Double(entry.source.width), vertical: 1 / Double(entry.source.height))
    let result = resampler.resample(picture, region: region, to: entry.output, pool: pool)
    let taken = pool.statistics.peakLentByteCount - PixelBufferPool.sizeClass(result.byteCount)
    let promised = resampler.workingByteCount(
      ofPlanes: layout, in: entry.source, region: entry.shown, to: entry.output)
    #expect(taken <= promised)
    #expect(promised <= 5 * taken + (1 << 20))
  }

  @Test("is a small part of a large picture", arguments: [ResamplingLight.asStored, .linear])
  func large(light: ResamplingLight) {
    let source = PixelSize(8000, 7500)
    for output in [PixelSize(320, 300), PixelSize(1600, 1500), PixelSize(4000, 3750), PixelSize(7000, 6562)] {
      let byteCount = Resampler(light: light).workingByteCount(
        of: source, region: PixelRegion(source), to: output)
      #expect(byteCount < 24 << 20, "\(output)")
    }
  }

  @Test("does not overflow, whatever the sizes are")
  func absurd() {
    let huge = PixelSize(Int(Int32.max), Int(Int32.max))
    for light in [ResamplingLight.asStored, .linear] {
      let resampler = Resampler(light: light)
      #expect(resampler.workingByteCount(of: huge, region: PixelRegion(huge), to: huge) > 0)
      let most = PixelSize(.max, .max)
      #expect(resampler.workingByteCount(of: most, region: PixelRegion(most), to: most) > 0)
      #expect(resampler.workingByteCount(of: PixelSize(1, 1), region: PixelRegion(most), to: most) > 0)
    }
  }

  @Test(
    "is part of the memory that a picture may take, and that its decode reserves", arguments: cases,
    [ResamplingLight.asStored, .linear])
  func reservation(_ entry: Case, light: ResamplingLight) throws {
    for orientation in [Orientation.up, .right] {
      let pool = PixelBufferPool(retainedByteLimit: 0)
      let budget = DecodedByteBudget(byteLimit: 1 << 30)
      let reserved = Mutex(0)
      let header = ImageHeader(type: .png, storedSize: entry.source, orientation: orientation)
      let decoder = FakeDecoder(header: header) { size in
        reserved.withLock { $0 = budget.reservedByteCount }
        return Bitmap(size: size, isOpaque: true, pool: pool) { bytes, _ in
          bytes.initializeMemory(as: UInt8.self, repeating: 255)
        }
      }
      var codecs = CodecRegistry()
      codecs.register(decoder: decoder)
      var resize = Resize(
        orientation.applied(to: entry.output), mode: .fill, allowsUpscaling: true, light: light)
      resize.allowsUpscaling = true
      let picture = try codecs.picture(
        from: Signature.png, resize: resize, context: DecodingContext(pool: pool, budget: budget))
      #expect(picture.size == orientation.applied(to: entry.output))
      #expect(pool.statistics.peakLentByteCount <= reserved.withLock { $0 })
      #expect(budget.reservedByteCount == 0)

      let plan = try #require(decoder.decodes.first)
      let needed = plan.byteCount
      #expect(reserved.withLock { $0 } == needed)
      let limits = DecodingLimits(decodedByteCount: needed - 1)
      let violation = DecodingLimits.Violation(.decodedByteCount, value: needed, limit: needed - 1)
      #expect(throws: ImageDecodingError.limitExceeded(violation)) {
        try codecs.picture(from: Signature.png, resize: resize, context: DecodingContext(limits: limits))
      }
    }
  }
}
