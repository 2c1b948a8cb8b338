import OzuBase
import OzuTesting
import Testing

@testable import OzuImaging

@Suite("Cancelling a resize")
struct ResamplingCheckpointTests {
  private struct Enough: Error {}

  @Test(
    "is possible every few rows, and all memory goes back",
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
    // As many calls as before the first row of the result.
    for (isTime, error) in [
      (false, ImageDecodingError.cancelled),
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
