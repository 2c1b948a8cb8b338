#if os(Linux)
  import Foundation
  import OzuBase
  import OzuTesting
  import Testing

  @testable import Ozu

  @Suite("Pipelines whose decoders are isolated")
  struct IsolatedPipelineTests {
    private let fixture = Fixture()

    private func pipeline(
      _ mode: DecoderIsolation.Mode = .preferred, _ helper: DecoderIsolation.Helper? = nil,
      domain: String = #function,
      onDegradation: @escaping @Sendable (String) -> Void = { Issue.record("not isolated: \($0)") }
    ) throws -> ImagePipeline {
      let helper = try helper ?? .program(builtProgram("ozu-decode").path)
      return fixture.freshPipeline {
        $0.decoding.codecs = .standard
        $0.decoding.isolation = DecoderIsolation(
          mode, types: DecoderIsolation.libraryTypes.union([.png]), helper: helper, domain: domain)
        $0.decoding.isolation.onDegradation = onDegradation
      }
    }

    @Test("pictures, headers and files are made in workers, and responses and diagnostics state it")
    func isolated() async throws {
      let url = Fixture.url("photo.png")
      fixture.client.reply(to: url, with: .ok(try Fixture.photo.data(as: .png)))
      let pipeline = try pipeline()
      #expect(pipeline.diagnostics().isolation?.description == "preferred, nothing decoded yet")
      let response = try await pipeline.response(for: ImageRequest(url: url).resized(to: PixelSize(64, 64)))
      #expect(response.isIsolated && response.picture.size == PixelSize(64, 48))
      let (decode, resize) = (response.timings[.decode], response.timings[.resize])
      #expect(decode.map { $0 > .zero } == true && resize.map { $0 > .zero } == true)
      let status = try #require(pipeline.diagnostics().isolation)
      #expect(status.mode == .preferred && status.degradation == nil)
      #expect(status.answerCount == 1 && status.failureCount == 0)
      #expect(pipeline.diagnostics().description.contains("isolation: preferred, by a process of their own"))
      // A picture in memory was still decoded in a worker.
      #expect(try await pipeline.response(for: response.request).isIsolated)
      #expect(try await pipeline.header(for: ImageRequest(url: url)).size == PixelSize(320, 240))
      #expect(try await pipeline.encoded(for: response.request, as: .jpeg).size == PixelSize(64, 48))
      // Other formats are decoded in this process, unless isolation is required.
      let jpeg = Fixture.url("photo.jpg")
      fixture.client.reply(to: jpeg, with: .ok(try Fixture.photo.data(as: .jpeg)))
      #expect(try await pipeline.response(for: ImageRequest(url: jpeg)).isIsolated == false)
      #if !OZU_ASAN && !OZU_TSAN
        let strict = try self.pipeline(.required)
        #expect(try await strict.response(for: ImageRequest(url: jpeg)).isIsolated)
        #expect(try await strict.header(for: ImageRequest(url: jpeg)).size == PixelSize(320, 240))
        #expect(strict.diagnostics().isolation?.answerCount == 2)
      #endif
    }

    @Test(
      "metadata that a written file keeps are written again in a worker, as without isolation",
      arguments: MetadataPolicy.allCases)
    func kept(policy: MetadataPolicy) async throws {
      let codecs = CodecRegistry.standard
      let exif = try codecs.metadata(of: Data(contentsOf: Repository.fixture("metadata/exif.jpg"))).exif
      let options = EncodingOptions(metadata: EncodedMetadata(exif: exif))
      let data = try codecs.encode(Fixture.photo.bitmap, as: .png, options: options)
      let request = ImageRequest(.data(data, key: "a page")).resized(to: PixelSize(64, 64))
      var format = OutputFormat.jpeg
      format.metadata = policy
      let pipeline = try pipeline(domain: "kept by \(policy)")
      let image = try await pipeline.encoded(for: request, as: format)
      // One answer is the picture. No header and no block is asked for.
      #expect(pipeline.diagnostics().isolation?.answerCount == (policy == .strip ? 1 : 2))
      let plain = Fixture().freshPipeline { $0.decoding.codecs = .standard }
      #expect(try await plain.encoded(for: request, as: format).data == image.data)
    }

    @Test("files are cleaned in workers where their format is isolated")
    func cleaned() async throws {
      let pipeline = try pipeline()
      for type in [ImageType.png, .jpeg] {
        let file = try Fixture.photo.data(as: type)
        #expect(try await pipeline.cleaned(file) == CleanedFile(file))
      }
      // The PNG: JPEG is not isolated here.
      #expect(pipeline.diagnostics().isolation?.answerCount == 1)
    }

    #if !OZU_ASAN && !OZU_TSAN
      @Test(
        "a JPEG is stored as JPEG XL and given back by workers alone if isolation is required",
        .enabled(if: CodecRegistry.standard.decodableTypes.contains(.jxl)))
      func transcoded() async throws {
        let jpeg = try Fixture.photo.data(as: .jpeg)
        let pipeline = try pipeline(.required)
        func file(_ type: ImageType, of data: Data) async throws -> Data {
          let format = OutputFormat(type, options: EncodingOptions(isLossless: true))
          let request = ImageRequest(.data(data, key: "from which \(type) is made"))
          return try await pipeline.encoded(for: request, as: format).data
        }
        let stored = try await file(.jxl, of: jpeg)
        #expect(try await file(.jpeg, of: stored) == CleanedFile(jpeg, keeping: []).data)
        // The picture, the cleaned file, what stores it; then the picture, the JPEG, cleaned, and its header.
        #expect((pipeline.diagnostics().isolation?.answerCount ?? 0) >= 7)
      }
    #endif

    // Not by a file that crashes a library: the next version does not crash any more.
    @Test(
      "a crash is a typed error that is remembered: the file is not decoded again, also not in this process"
    )
    func crash() async throws {
      let helper = try HelperWithTrap()
      defer { helper.remove() }
      let url = Fixture.url("trap.png")
      fixture.client.reply(
        to: url, with: .ok(try Fixture.photo.data(as: .png) + HelperWithTrap.marker))
      let pipeline = try pipeline(.preferred, .program(helper.path))
      for _ in 0..<2 {
        let error = await #expect(throws: ImageError.self) { try await pipeline.image(for: url) }
        guard case .crashed? = error?.decoderFailure else {
          Issue.record("\(String(describing: error))")
          continue
        }
      }
      #expect(pipeline.diagnostics().isolation?.failureCount == 1)
      #expect(fixture.client.requestCount(for: url) == 1)
    }

    @Test(
      "without a helper: reported once and decoded here if isolation is preferred, an error if it is required"
    )
    func absent() async throws {
      let told = Mutex(0)
      let preferred = try pipeline(.preferred, .program("/nowhere/ozu-decode")) { _ in
        told.withLock { $0 += 1 }
      }
      let data = try Fixture.photo.data(as: .png)
      for number in 0..<3 {
        let url = Fixture.url("\(number).png")
        fixture.client.reply(to: url, with: .ok(data))
        #expect(try await preferred.response(for: ImageRequest(url: url)).isIsolated == false)
      }
      #expect(told.withLock { $0 } == 1)
      #expect(preferred.diagnostics().isolation?.degradation?.contains("/nowhere/ozu-decode") == true)
      let url = Fixture.url("other.png")
      fixture.client.reply(to: url, with: .ok(data))
      let error = await #expect(throws: ImageError.self) {
        try await pipeline(.required, .program("/nowhere/ozu-decode")).image(for: url)
      }
      guard case .unavailable(let reason)? = error?.decoderFailure, error?.imageType == .png else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(reason.contains("/nowhere/ozu-decode"))
      // A helper is beside the program of these tests.
      #expect(try await pipeline(.preferred, .beside).response(for: ImageRequest(url: url)).isIsolated)
    }
  }
#endif
