import Foundation
import OzuCodecs
import OzuImaging
import OzuLibraryCodecs
import OzuStandardCodecs
import Testing

@Suite("Hostile files")
struct HostileFileTests {
  @Test(
    "that declare too much are refused before memory is taken",
    arguments: [
      "jpeg-65500x65500-sof.jpg", "jpeg-progressive-huge-sof.jpg", "png-2147483647x1.png",
      "png-30000x30000-rgba-header.png", "png-65500x65500-1bit-header.png", "webp-vp8l-16384-truncated.webp",
      "webp-vp8x-huge-canvas.webp", "bmp-2147483647x1.bmp", "bmp-rle8-30000x30000.bmp",
    ].filter(isDecodable))
  func limits(name: String) throws {
    let pool = PixelBufferPool(retainedByteLimit: 0)
    let data = try fixture("bombs/\(name)")
    let error = #expect(throws: ImageDecodingError.self) {
      try CodecRegistry.standard.picture(from: data, context: DecodingContext(pool: pool))
    }
    guard case .limitExceeded = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(pool.statistics.peakLentByteCount == 0)
  }

  @Test("of impossible sizes are corrupt", arguments: ["png-0x0.png", "png-4294967295.png"])
  func impossible(name: String) throws {
    let error = #expect(throws: ImageDecodingError.self) { try picture("bombs/\(name)") }
    guard case .corrupt(.png, "header", _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("with hundreds of scans are refused by counting them")
  func scanCount() throws {
    let jpeg = try fixture("matrix/jpeg-progressive-420.jpg")
    let bomb = try multiplyingLastScan(of: jpeg, by: 300)
    let violation = DecodingLimits.Violation(.scanCount, value: 101, limit: 100)
    #expect(throws: ImageDecodingError.limitExceeded(violation)) {
      try CodecRegistry.standard.header(of: bomb)
    }
    // As many as a real encoder writes are accepted.
    let fine = try multiplyingLastScan(of: jpeg, by: 20)
    #expect(try CodecRegistry.standard.picture(from: fine).size == PixelSize(64, 48))
  }

  @Test("with too many pixels in all scans are refused by counting the scans")
  func scannedPixels() throws {
    let bomb = try multiplyingLastScan(of: fixture("matrix/jpeg-progressive-420.jpg"), by: 20)
    let scans = bomb.indices.dropLast().count { bomb[$0] == 0xFF && bomb[$0 + 1] == 0xDA }
    let allowed = DecodingLimits(scannedPixelCount: scans * 64 * 48)
    #expect(try CodecRegistry.standard.header(of: bomb, limits: allowed).isProgressive)
    let violation = DecodingLimits.Violation(
      .scannedPixelCount, value: scans * 64 * 48, limit: scans * 64 * 48 - 1)
    let pool = PixelBufferPool(retainedByteLimit: 0)
    let limits = DecodingLimits(scannedPixelCount: scans * 64 * 48 - 1)
    #expect(throws: ImageDecodingError.limitExceeded(violation)) {
      try CodecRegistry.standard.picture(from: bomb, context: DecodingContext(limits: limits, pool: pool))
    }
    #expect(pool.statistics.peakLentByteCount == 0)
  }

  @Test("with scans beyond the allowed time are stopped between scans")
  func scanTime() throws {
    let bomb = try multiplyingLastScan(of: fixture("matrix/jpeg-progressive-420.jpg"), by: 3000)
    let pool = PixelBufferPool(retainedByteLimit: 0)
    var questions = 0
    let context = DecodingContext(
      limits: DecodingLimits(scanCount: 10_000, cpuTime: .milliseconds(50)), pool: pool,
      threadTime: {
        questions += 1
        return .milliseconds(questions)
      })
    let violation = DecodingLimits.Violation(.cpuTime, value: 51, limit: 50)
    #expect(throws: ImageDecodingError.limitExceeded(violation)) {
      try CodecRegistry.standard.picture(from: bomb, context: context)
    }
    #expect(pool.statistics.peakLentByteCount == 0)
  }

  @Test("whose coefficients exceed the memory limit are refused for the coefficients")
  func coefficients() throws {
    // libjpeg decodes arithmetic coding, and needs all coefficients.
    let data = try fixture("matrix/jpeg-arith-progressive.jpg")
    let pool = PixelBufferPool(retainedByteLimit: 0)
    // The coefficients take 64 * 48 * 3 / 2 * 2 bytes, and the other buffers of libjpeg 64 for each column.
    let resize = Resize(PixelSize(4, 3), mode: .fill)
    let needed = try DecodePlan(
      of: CodecRegistry.standard.open(data), resize: resize, context: DecodingContext()
    ).byteCount
    #expect(needed >= 9216 + 64 * 64)
    let context = DecodingContext(limits: DecodingLimits(decodedByteCount: needed - 1), pool: pool)
    let violation = DecodingLimits.Violation(.decodedByteCount, value: needed, limit: needed - 1)
    #expect(throws: ImageDecodingError.limitExceeded(violation)) {
      try CodecRegistry.standard.picture(from: data, resize: resize, context: context)
    }
    #expect(pool.statistics.peakLentByteCount == 0)
  }

  @Test("and others stop when they are cancelled", arguments: [1, 3, 6, 9])
  func cancellation(question: Int) throws {
    let bitmap = waves(PixelSize(300, 400))
    let files = [
      try JPEGEncoder().encode(bitmap, options: .init()), try PNGEncoder().encode(bitmap, options: .init()),
    ]
    for data in files {
      let pool = PixelBufferPool(retainedByteLimit: 0)
      var questions = 0
      let context = DecodingContext(
        pool: pool,
        isCancelled: {
          questions += 1
          return questions >= question
        })
      #expect(throws: ImageDecodingError.cancelled) {
        try CodecRegistry.standard.picture(from: data, context: context)
      }
      #expect(questions == question)
      #expect(pool.statistics.lentByteCount == 0)
    }
  }

  @Test("give an error or a picture of their size, complete or not", arguments: fixtures(in: "mutants"))
  func mutants(path: String) throws {
    let data = try fixture(path)
    let pool = PixelBufferPool(retainedByteLimit: 0)
    for allowsTruncation in [false, true] {
      do throws(ImageDecodingError) {
        let context = DecodingContext(pool: pool, allowsTruncation: allowsTruncation)
        let picture = try CodecRegistry.standard.picture(from: data, context: context)
        let header = try CodecRegistry.standard.header(of: data)
        #expect(picture.size == header.size)
      } catch {
        #expect(!error.description.isEmpty)
      }
    }
    #expect(pool.statistics.lentByteCount == 0)
  }

  @Test(
    "truncated at any byte give an error or a picture of their size",
    arguments: [
      "matrix/jpeg-progressive-420.jpg", "pngsuite/basi3p04.png", "matrix/webp-lossy-alpha.webp",
      "matrix/gif-palette-interlaced.gif", "matrix/bmp-palette.bmp",
    ])
  func everyPrefix(path: String) throws {
    guard isDecodable(path) else { return }
    let data = try fixture(path)
    let full = try CodecRegistry.standard.picture(from: data)
    for count in 0..<data.count {
      let context = DecodingContext(allowsTruncation: true)
      let result = Result { () throws(ImageDecodingError) -> Picture in
        try CodecRegistry.standard.picture(from: data.prefix(count), context: context)
      }
      if case .success(let picture) = result { #expect(picture.size == full.size) }
    }
  }
}
