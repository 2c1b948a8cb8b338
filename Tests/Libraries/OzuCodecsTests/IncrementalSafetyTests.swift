import Foundation
import OzuCodecs
import OzuImaging
import OzuStandardCodecs
import Testing

/// Passes a file to a decoder in pieces, asks for a preview after each, and returns the first error.
private func firstError(
  of data: Data, pieces: Int, limits: DecodingLimits = .default, pool: PixelBufferPool = .shared
) -> ImageDecodingError? {
  let decoder = IncrementalDecoder(codecs: .standard)
  let step = max(1, (data.count + pieces - 1) / pieces)
  for start in stride(from: 0, to: data.count, by: step) {
    decoder.append(data[start..<min(start + step, data.count)])
    do throws(ImageDecodingError) {
      _ = try decoder.preview(context: DecodingContext(limits: limits, pool: pool))
    } catch {
      return error
    }
  }
  return nil
}

@Suite("Incremental decoding of hostile files")
struct IncrementalSafetyTests {
  @Test("gives previews of their size or errors", arguments: fixtures(in: "mutants"), [2, 17])
  func mutants(path: String, pieces: Int) throws {
    guard isDecodable(path) else { return }
    let pool = PixelBufferPool(retainedByteLimit: 0)
    _ = firstError(of: try fixture(path), pieces: pieces, pool: pool)
    #expect(pool.statistics.lentByteCount == 0)
  }

  @Test("takes no memory for a file that declares too much", arguments: fixtures(in: "bombs"))
  func bombs(path: String) throws {
    guard isDecodable(path) else { return }
    let pool = PixelBufferPool(retainedByteLimit: 0)
    _ = firstError(of: try fixture(path), pieces: 3, pool: pool)
    // One of them is a small picture that declares a large number of frames.
    #expect(pool.statistics.peakLentByteCount <= 4096)
  }

  @Test(
    "has the limits of whole pictures",
    arguments: [
      "matrix/jpeg-progressive-420.jpg", "matrix/png-rgb8.png", "matrix/webp-lossy.webp",
      "matrix/jxl-lossy.jxl", "matrix/gif-palette.gif",
    ])
  func limits(path: String) throws {
    guard isDecodable(path) else { return }
    let data = try fixture(path)
    let size = try CodecRegistry.standard.header(of: data).storedSize
    let tooMany = DecodingLimits(pixelCount: size.pixelCount - 1)
    let violation = DecodingLimits.Violation(
      .pixelCount, value: size.pixelCount, limit: size.pixelCount - 1)
    #expect(firstError(of: data, pieces: 4, limits: tooMany) == .limitExceeded(violation))
    let small = firstError(of: data, pieces: 4, limits: DecodingLimits(decodedByteCount: size.pixelCount * 4))
    guard case .limitExceeded(let found) = small else {
      Issue.record("\(String(describing: small))")
      return
    }
    #expect(found.quantity == .decodedByteCount)
  }

  @Test("counts scans as they arrive")
  func scans() throws {
    let bomb = try multiplyingLastScan(of: fixture("matrix/jpeg-progressive-420.jpg"), by: 300)
    let violation = DecodingLimits.Violation(.scanCount, value: 101, limit: 100)
    #expect(firstError(of: bomb, pieces: 200) == .limitExceeded(violation))
  }

  @Test("counts the processor time of all previews together")
  func time() throws {
    let data = try fixture("matrix/jpeg-progressive-444.jpg")
    let decoder = IncrementalDecoder(codecs: .standard)
    var now = Duration.zero
    var error: ImageDecodingError?
    for byte in data where error == nil {
      decoder.append(Data([byte]))
      // Each call is on a thread whose clock starts again, and each checkpoint takes five milliseconds.
      now = .zero
      let context = DecodingContext(
        limits: DecodingLimits(cpuTime: .milliseconds(200)),
        threadTime: {
          now += .milliseconds(5)
          return now
        })
      do throws(ImageDecodingError) {
        _ = try decoder.preview(context: context)
      } catch let thrown {
        error = thrown
      }
    }
    guard case .limitExceeded(let violation) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(violation.quantity == .cpuTime)
  }

  @Test("skips chunks that pixels do not need, however long they are")
  func longChunk() throws {
    let data = try fixture("matrix/png-rgb8.png")
    let header = data.prefix(33)
    // A text chunk that declares two gigabytes: the decoder never reaches the pixels.
    let bomb = header + Data([0x7F, 0xFF, 0xFF, 0xFF]) + Data("tEXt".utf8) + Data(count: 100_000)
    #expect(firstError(of: bomb, pieces: 50) == nil)
    // A palette that is longer than any valid one.
    let palette = header + Data([0, 1, 0, 0]) + Data("PLTE".utf8) + Data(count: 65_540) + data.dropFirst(33)
    guard case .corrupt(.png, _, _)? = firstError(of: palette, pieces: 50) else {
      Issue.record("a palette of 65,536 bytes")
      return
    }
  }
}
