import OzuSynchronization
import OzuTesting
import Testing

@testable import OzuImaging

/// What resampling takes is reserved before, so it must be known before: never less than is taken, and not much more.
@Suite("Memory of the resampler")
struct WorkingBytesTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var source: PixelSize
    var region: PixelRegion?
    var output: PixelSize

    var shown: PixelRegion { region ?? PixelRegion(source) }
    var testDescription: String { "\(source) \(region.map { "\($0)" } ?? "") to \(output)" }
  }

  /// Bitmaps of quarters of powers of two, which the pool lends without rounding.
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

  /// What a resize takes of a pool, beside source and result.
  private func taken(_ entry: Case, _ resampler: Resampler, isOpaque: Bool) -> Int {
    let source = Bitmap(size: entry.source, isOpaque: isOpaque) { bytes, _ in
      bytes.initializeMemory(as: UInt8.self, repeating: 255)
    }
    let pool = PixelBufferPool(retainedByteLimit: 0)
    let result = resampler.resample(source, region: entry.shown, to: entry.output, pool: pool)
    return pool.statistics.peakLentByteCount - PixelBufferPool.sizeClass(result.byteCount)
  }

  @Test("is no more than what was worked out, and not much less", arguments: cases, ResamplingKernel.allCases)
  func pixels(_ entry: Case, kernel: ResamplingKernel) {
    for light in [ResamplingLight.asStored, .linear] {
      let resampler = Resampler(kernel: kernel, light: light)
      let promised = resampler.workingByteCount(of: entry.source, region: entry.shown, to: entry.output)
      for isOpaque in [true, false] {
        let taken = taken(entry, resampler, isOpaque: isOpaque)
        #expect(taken <= promised, "\(light)")
        // Tables are counted too, and steps and strips are taken to be as unfortunate as they can be.
        #expect(promised <= 5 * taken + (1 << 20), "\(light)")
      }
    }
  }

  @Test("of planes is no more than what was worked out", arguments: cases, [1, 3, 4])
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
    "is part of what a picture may take, and of what its decode reserves", arguments: cases,
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
      #expect(throws: DecodingError.limitExceeded(violation)) {
        try codecs.picture(from: Signature.png, resize: resize, context: DecodingContext(limits: limits))
      }
    }
  }
}

@Suite("Giving up a resize")
struct ResamplingCheckpointTests {
  private struct Enough: Error {}

  @Test(
    "is asked about every few rows, and all memory goes back",
    arguments: [
      PixelSize(512, 512), PixelSize(300, 300), PixelSize(512, 300), PixelSize(300, 512), PixelSize(40, 400),
    ], [ResamplingLight.asStored, .linear])
  func pixels(output: PixelSize, light: ResamplingLight) throws {
    let source = Bitmap.noise(size: PixelSize(512, 512))
    let resampler = Resampler(light: light)
    var questions = 0
    func resize(givesUpAt last: Int) throws(Enough) -> Bitmap {
      questions = 0
      let pool = PixelBufferPool(retainedByteLimit: 0)
      defer { if last < .max { #expect(pool.statistics.lentByteCount == 0) } }
      return try resampler.resample(
        source, region: PixelRegion(source.size), to: output, pool: pool
      ) { () throws(Enough) in
        questions += 1
        if questions == last { throw Enough() }
      }
    }
    let whole = try resize(givesUpAt: .max)
    try #require(questions > 0 && questions >= output.height / 32)
    #expect(whole == resampler.resample(source, region: PixelRegion(source.size), to: output))
    for last in 1...questions {
      #expect(throws: Enough.self) { try resize(givesUpAt: last) }
      #expect(questions == last)
    }
  }

  @Test(
    "ends a decode that is cancelled or out of time while it resamples",
    arguments: [ResamplingLight.asStored, .linear])
  func decode(light: ResamplingLight) throws {
    let header = ImageHeader(type: .png, storedSize: PixelSize(600, 600))
    var codecs = CodecRegistry()
    codecs.register(decoder: FakeDecoder(header: header))
    let resize = Resize(PixelSize(500, 500), light: light)
    // As many questions as there are before the first row of the result.
    for (isTime, error) in [
      (false, DecodingError.cancelled),
      (true, .limitExceeded(.init(.cpuTime, value: 11_000, limit: 10_000))),
    ] {
      let isResampling = Mutex(false)
      let questions = Mutex(0)
      let hasGivenUp = { () -> Bool in
        guard isResampling.withLock({ $0 }) else { return false }
        return questions.withLock {
          $0 += 1
          return $0 > 4
        }
      }
      let context = DecodingContext(
        isCancelled: { !isTime && hasGivenUp() },
        onStage: { stage in if stage == .resize { isResampling.withLock { $0 = true } } },
        threadTime: { isTime && hasGivenUp() ? .seconds(11) : .zero })
      #expect(throws: error) {
        try codecs.picture(from: Signature.png, resize: resize, context: context)
      }
    }
  }
}

@Suite("Bands and strips")
struct ResamplingBandTests {
  private static func plane(_ size: PixelSize, seed: UInt64) -> SamplePlane {
    var random = SeededGenerator(seed: seed)
    let plane = SamplePlane(
      columnCount: size.width, rowCount: size.height, extentWidth: Double(size.width) - 0.25,
      extentHeight: Double(size.height) - 0.75)
    for index in plane.samples.indices { plane.samples[index] = Int16(random.next() % (255 << 6)) }
    return plane
  }

  @Test(
    "make the rows that one piece makes",
    arguments: [
      (PixelSize(70, 90), PixelSize(33, 47)), (PixelSize(64, 2000), PixelSize(16, 40)),
      (PixelSize(9, 9), PixelSize(50, 70)), (PixelSize(30, 4000), PixelSize(30, 5)),
    ], [1, 2, 7, 16])
  func bands(sizes: (PixelSize, PixelSize), rows: Int) {
    let (source, output) = sizes
    let plane = Self.plane(source, seed: 7)
    let region = PixelRegion(x: 0.1, y: 0.05, width: 0.8, height: 0.9)
    func run() -> PlaneRun {
      PlaneRun(source: plane, region: region, size: output, kernel: .lanczos3, pool: .shared)
    }
    let stride = PlaneRun.padded(output.width)
    func makeRows(_ count: Int) -> [Int16] {
      let run = run()
      var samples = [Int16](repeating: -1, count: stride * output.height)
      samples.withUnsafeMutableBufferPointer { samples in
        for top in Swift.stride(from: 0, to: output.height, by: count) {
          run.makeRows(min(count, output.height - top), to: samples.baseAddress! + top * stride)
        }
      }
      return samples
    }
    #expect(makeRows(rows) == makeRows(output.height))
  }

  /// The light of a whole picture in planes, as `LightRows` never has it.
  private func wholeLight(_ bitmap: Bitmap, _ step: RowAverager.Step) -> [SamplePlane] {
    let channels = bitmap.isOpaque ? 3 : 4
    let averagers = (0..<channels).map { _ in
      RowAverager(size: bitmap.size, channels: 1, step: step, white: 65_535, pool: .shared)
    }
    for y in 0..<bitmap.size.height {
      for channel in 0..<channels {
        let row = (0..<bitmap.size.width).map { x in
          let pixel = bitmap[x, y]
          return LightTable.shared.light(
            of: SIMD4(pixel.blue, pixel.green, pixel.red, pixel.alpha), isOpaque: bitmap.isOpaque)[channel]
        }
        averagers[channel].add(words: row.span)
      }
    }
    return averagers.map { $0.planes[0] }
  }

  @Test(
    "of light make what the planes of the whole picture make",
    arguments: [
      (PixelSize(300, 200), PixelSize(250, 150)), (PixelSize(300, 400), PixelSize(33, 47)),
      (PixelSize(20, 4001), PixelSize(20, 3)), (PixelSize(30, 30), PixelSize(90, 130)),
    ], [true, false])
  func light(sizes: (PixelSize, PixelSize), isOpaque: Bool) {
    let (source, output) = sizes
    let bitmap = Bitmap.noise(size: source, seed: 11, isOpaque: isOpaque)
    let size = Double(source.height)
    for region in [PixelRegion(source), PixelRegion(x: 2.5, y: size / 2, width: 15, height: size / 3)] {
      let resampler = Resampler(light: .linear)
      let result = resampler.resample(bitmap, region: region, to: output)
      let planes = wholeLight(bitmap, LightRows.step(region: region, to: output))
      let expected = resampler.resample(
        planes, content: .light(isOpaque: isOpaque),
        region: region.scaled(horizontal: 1 / Double(source.width), vertical: 1 / size), to: output,
        colorSpace: .sRGB, pool: .shared
      ) { () throws(Never) in }
      #expect(result == expected)
    }
  }
}
