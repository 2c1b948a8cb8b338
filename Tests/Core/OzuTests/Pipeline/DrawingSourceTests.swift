#if SVG && os(Linux)
  import Foundation
  import Ozu
  import OzuTesting
  import Testing

  /// An untrusted drawing can end the process that draws it, so no path through a pipeline draws one by default.
  @Suite("Untrusted drawings")
  struct DrawingSourceTests {
    private static let document =
      "<svg xmlns='http://www.w3.org/2000/svg'><text font-size='1e9'>abc</text></svg>"
    private static let prefixed = """
      <s:svg xmlns:s='http://www.w3.org/2000/svg'><s:text font-size='1e9'>abc</s:text></s:svg>
      """
    private static let setting = "codecs.registerInProcessSVG()"

    private static func source(_ document: String, _ mediaType: String) -> ImageSource {
      .url(URL(string: "data:\(mediaType);base64,\(Data(document.utf8).base64EncodedString())")!)
    }

    private static func isRefusal(_ error: (any Error)?) -> Bool {
      guard let error = error as? ImageError, error.kind == .unsupportedType else { return false }
      return error.imageType == .svg && error.explanation.contains(setting)
    }

    @Test(
      "are refused with the name of the setting, under any file name",
      arguments: [document, prefixed], ["image/svg+xml", "image/png", "text/plain"])
    func refused(_ document: String, _ mediaType: String) async throws {
      let pipeline = ImagePipeline {
        $0.caching.diskStorage = .none
        $0.decoding.isProgressiveDecodingEnabled = true
      }
      let source = Self.source(document, mediaType)
      for request in [
        ImageRequest(source), ImageRequest(source, resize: Resize(PixelSize(20, 20))),
      ] {
        #expect(
          Self.isRefusal(await #expect(throws: ImageError.self) { try await pipeline.image(for: request) }))
        #expect(
          Self.isRefusal(await #expect(throws: ImageError.self) { try await pipeline.header(for: request) }))
      }
    }

    @Test("are refused from a server and from a file with the name of a picture")
    func elsewhere() async throws {
      let server = try LoopbackServer()
      defer { server.stop() }
      server.route("/a.png", .ok(Data(Self.document.utf8), type: "image/png"))
      let file = FileManager.default.temporaryDirectory.appending(path: "ozu-\(UUID().uuidString).png")
      try Data(Self.document.utf8).write(to: file)
      defer { try? FileManager.default.removeItem(at: file) }
      let pipeline = ImagePipeline {
        $0.caching.diskStorage = .none
        $0.decoding.isDecompressionEnabled = false
      }
      for url in [server.url("/a.png"), file] {
        let error = await #expect(throws: ImageError.self) { try await pipeline.image(for: url) }
        #expect(Self.isRefusal(error), "\(String(describing: error))")
      }
    }

    @Test("are drawn if the app allows it")
    func asked() async throws {
      let pipeline = ImagePipeline {
        $0.caching.diskStorage = .none
        $0.decoding.codecs.registerInProcessSVG()
      }
      let document =
        "<svg xmlns='http://www.w3.org/2000/svg' width='8' height='4'><rect width='4' height='4' fill='red'/></svg>"
      let picture = try await pipeline.image(for: ImageRequest(Self.source(document, "image/svg+xml")))
      #expect(picture.size == PixelSize(8, 4))
      #expect(picture.bitmap[3, 3] == Pixel(red: 255, green: 0, blue: 0))
    }
  }
#endif
