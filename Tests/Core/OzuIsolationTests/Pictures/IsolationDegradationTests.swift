#if os(Linux)
  import Foundation
  import OzuCodecs
  import OzuImaging
  import OzuBase
  import OzuTesting
  import Testing

  @testable import OzuIsolation

  @Suite("Isolation that is not possible, and workers that fail")
  struct IsolationDegradationTests {
    /// Decodes in the process of the app.
    private struct Inner: ImageDecoding {
      var types: [ImageType] { [.webp] }
      func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any ImageFile { File() }

      private final class File: ImageFile {
        let header = FakeWorkers.header()
        func decode(_ plan: DecodePlan, context: DecodingContext) throws(ImageDecodingError) -> Bitmap {
          Bitmap(size: plan.decodedSize, isOpaque: true) { _, _ in .black }
        }
      }
    }

    @Test(
      "workers leave descriptors to the app",
      arguments: [(8, 40, 4), (2, 40, 2), (8, 24, 1), (8, 16, 1), (64, 1024, 64), (8, -1, 8), (0, 1024, 1)]
        as [(Int, Int, Int)])
    func workerLimit(_ processes: Int, _ descriptors: Int, _ workers: Int) {
      #expect(DecoderIsolation.workerLimit(processes, descriptorLimit: descriptors) == workers)
    }

    @Test("missing isolation is reported once if it is preferred, and is an error if it is required")
    func degradation() throws {
      let absent = FakeWorkers { _ throws(ImageDecodingError) in
        throw .decoderFailed(.webp, .unavailable("seccomp (Operation not permitted)"))
      }
      let told = Mutex<[String]>([])
      let preferred = FakeWorkers.codecs(absent, .preferred, Inner()) { reason in
        told.withLock { $0.append(reason) }
      }
      for _ in 0..<3 {
        let picture = try preferred.picture(from: FakeWorkers.file)
        #expect(!picture.isIsolated && picture.size == PixelSize(8, 6))
        #expect(try preferred.header(of: FakeWorkers.file).type == .webp)
        let task = MetadataRewriting.blocks(
          policy: .keepAll, size: PixelSize(8, 6), colorSpace: .sRGB, resolution: nil, isTurned: false)
        let outcome = try preferred.rewritten(FakeWorkers.file, task, limits: .default)
        #expect(outcome == MetadataRewriting.Outcome())
      }
      #expect(told.withLock { $0 } == ["seccomp (Operation not permitted)"])
      // The workers may be available by now, so each file tries again.
      #expect(absent.requests.withLock { $0.count } == 12)
      // As soon as there are workers, they decode.
      let isThere = Mutex(false)
      let late = FakeWorkers { request throws(ImageDecodingError) in
        guard isThere.withLock({ $0 }) else { throw .decoderFailed(.webp, .unavailable("not yet")) }
        return FakeWorkers.picture()
      }
      var settings = DecoderIsolation(.preferred)
      settings.onDegradation = { _ in }
      let client = WorkerClient(settings, late)
      var codecs = CodecRegistry()
      codecs.register(decoder: IsolatedDecoder(.webp, client, inner: Inner()))
      #expect(try !codecs.picture(from: FakeWorkers.file).isIsolated)
      #expect(client.degradation == "not yet")
      isThere.withLock { $0 = true }
      #expect(try codecs.picture(from: FakeWorkers.file).isIsolated)
      #expect(client.degradation == nil)
      // No other decoder can read a drawing.
      let alone = FakeWorkers.codecs(absent, .preferred)
      let error = #expect(throws: ImageDecodingError.self) { try alone.picture(from: FakeWorkers.file) }
      guard case .unsupportedType(.webp, let reason) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(reason.contains("isolation") && reason.contains("seccomp"))
      for codecs in [
        FakeWorkers.codecs(absent, .required, Inner()), FakeWorkers.codecs(nil, .required, Inner()),
      ] {
        for read in [
          { _ = try codecs.picture(from: FakeWorkers.file) }, { _ = try codecs.header(of: FakeWorkers.file) },
          { _ = try CleanedFile(FakeWorkers.file, keeping: [], by: codecs, limits: .default) },
        ] {
          let error = #expect(throws: ImageDecodingError.self) { try read() }
          guard case .decoderFailed(.webp, .unavailable) = error else {
            Issue.record("\(String(describing: error))")
            continue
          }
        }
      }
    }

    @Test(
      "a crash is an error, and the file is not decoded in the process of the app",
      arguments: [
        DecoderIsolation.Mode.preferred, .required,
      ])
    func crash(_ mode: DecoderIsolation.Mode) {
      let failure = ImageDecodingError.decoderFailed(.webp, .crashed(signal: 11))
      let workers = FakeWorkers { _ throws(ImageDecodingError) in throw failure }
      let codecs = FakeWorkers.codecs(workers, mode, Inner())
      for _ in 0..<2 {
        #expect(throws: failure) { try codecs.picture(from: FakeWorkers.file) }
        #expect(throws: failure) { try codecs.header(of: FakeWorkers.file) }
      }
      #expect(workers.requests.withLock { $0.count } == 4)
    }

    @Test("decoders of the app are asked first, and each call replaces the isolation")
    func order() throws {
      struct Own: ImageDecoding {
        var types: [ImageType] { [.webp] }
        func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any ImageFile {
          throw .cancelled
        }
      }
      var codecs = CodecRegistry()
      codecs.register(decoder: Inner())
      codecs.markBuiltIn()
      for mode in [DecoderIsolation.Mode.required, .required, .off] {
        let isIsolated =
          codecs.isolate(DecoderIsolation(mode, types: [.webp], helper: .program("/nowhere"))) != nil
        #expect(isIsolated == (mode != .off))
        // Required isolation is for all formats, and drawings have no decoder in this process.
        #expect(codecs.decodableTypes == (isIsolated ? [.svg, .webp] : [.webp]))
        #expect(((try? codecs.picture(from: FakeWorkers.file)) == nil) == isIsolated)
      }
      codecs.register(decoder: Own())
      _ = codecs.isolate(DecoderIsolation(.required, types: [.webp, .svg], helper: .program("/nowhere")))
      #expect(codecs.decodableTypes == [.webp, .svg])
      #expect(throws: ImageDecodingError.cancelled) { try codecs.picture(from: FakeWorkers.file) }
    }
  }
#endif
