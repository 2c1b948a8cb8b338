import Foundation
import OzuCodecs
import OzuImaging
import OzuStandardCodecs
import Testing

/// Limits of the largest number mean that nothing is refused for them: no format may treat them as a small number,
/// and no sum may overflow.
@Suite("Limits of the largest number")
struct UnlimitedTests {
  private static let limits = DecodingLimits(
    pixelCount: .max, side: .max, decodedByteCount: .max, frameCount: .max, scanCount: .max,
    encodedByteCount: .max, cpuTime: .seconds(Int64.max), animationByteCount: .max, scannedPixelCount: .max)

  private static let recipes: [Resize?] = [
    nil, Resize(PixelSize(9, 7), mode: .fill), Resize(PixelSize(90, 70), light: .linear),
  ]

  @Test(
    "give the pictures and the frames of the defaults",
    arguments: (fixtures(in: "matrix") + fixtures(in: "orientation")).filter(isDecodable), recipes)
  func same(path: String, resize: Resize?) throws {
    let data = try fixture(path)
    let codecs = CodecRegistry.standard
    let expected = try codecs.picture(from: data, resize: resize)
    let picture = try codecs.picture(
      from: data, resize: resize, context: DecodingContext(limits: Self.limits))
    #expect(picture.bitmap == expected.bitmap)
    #expect(picture.header?.frameCount == expected.header?.frameCount)
    #expect(picture.animation?.frameCount == expected.animation?.frameCount)
    #expect(picture.notes == expected.notes)
    if let animation = picture.animation {
      let last = animation.frameCount - 1
      #expect(try animation.frame(at: last) == expected.animation?.frame(at: last))
    }
  }

  @Test(
    "leave it to the budget to refuse files that declare too much", arguments: fixtures(in: "bombs"), recipes)
  func bombs(path: String, resize: Resize?) throws {
    guard isDecodable(path) else { return }
    let data = try fixture(path)
    let pool = PixelBufferPool(retainedByteLimit: 0)
    let context = DecodingContext(
      limits: Self.limits, pool: pool, budget: DecodedByteBudget(byteLimit: 1 << 20))
    _ = Result { () throws(ImageDecodingError) in
      try CodecRegistry.standard.picture(from: data, resize: resize, context: context)
    }
    let decoder = IncrementalDecoder(codecs: .standard, resize: resize)
    decoder.append(data)
    _ = Result { () throws(ImageDecodingError) in try decoder.preview(context: context) }
    #expect(pool.statistics.lentByteCount == 0)
    #expect(pool.statistics.peakLentByteCount <= 2 << 20)
  }

  @Test("a bitmap whose bytes cannot be counted is refused by its decoder")
  func uncountable() throws {
    // 40 bytes of header for 2^31 - 1 pixels on each side, with 32 bits.
    var file = Data("BM".utf8) + Data(count: 8) + Data([54, 0, 0, 0, 40, 0, 0, 0])
    file += Data([0xFF, 0xFF, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF, 0x7F, 1, 0, 32, 0]) + Data(count: 24)
    let bitmap = try BMPDecoder().open(file, limits: Self.limits)
    #expect(bitmap.header.storedSize == PixelSize(Int(Int32.max), Int(Int32.max)))
    let plan = DecodePlan(header: bitmap.header, resize: nil)
    let error = #expect(throws: ImageDecodingError.self) {
      try bitmap.decode(plan, context: DecodingContext(limits: Self.limits))
    }
    guard case .limitExceeded(let violation) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(violation.quantity == .decodedByteCount)
  }
}
