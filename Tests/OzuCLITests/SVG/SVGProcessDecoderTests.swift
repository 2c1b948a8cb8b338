#if SVG && os(Linux)
  import Foundation
  import Ozu
  import OzuLibraryCodecs
  import OzuStandardCodecs
  import Testing

  @testable import OzuCLI

  @Suite struct SVGProcessDecoderTests {
    private static func decoder() throws -> SVGProcessDecoder {
      SVGProcessDecoder(program: try ChildRun.program.path(percentEncoded: false))
    }

    private static func registry(_ decoder: some ImageDecoding) -> CodecRegistry {
      var codecs = CodecRegistry()
      codecs.register(decoder: decoder)
      return codecs
    }

    private static func pixels(_ bitmap: Bitmap) -> [UInt8] {
      bitmap.withUnsafeBytes { bytes in
        (0..<bitmap.size.height).flatMap { y in
          bytes[(y * bitmap.bytesPerRow)...].prefix(bitmap.size.width * 4)
        }
      }
    }

    @Test(
      "draws what the decoder in the process draws",
      arguments: Drawing.good, [nil, Resize(PixelSize(333, 90), mode: .aspectFill, crops: true)])
    func same(_ document: Data, _ resize: Resize?) throws {
      let outside = Self.registry(try Self.decoder())
      let inside = Self.registry(SVGDecoder())
      #expect(try outside.header(of: document) == inside.header(of: document))
      let drawn = try outside.picture(from: document, resize: resize)
      let expected = try inside.picture(from: document, resize: resize)
      #expect(drawn.size == expected.size)
      #expect(drawn.bitmap.isOpaque == expected.bitmap.isOpaque)
      #expect(drawn.bitmap.colorSpace == expected.bitmap.colorSpace)
      #expect(Self.pixels(drawn.bitmap) == Self.pixels(expected.bitmap))
    }

    @Test("what crashes the renderer is an error", arguments: Drawing.crashing)
    func crashing(_ document: Data) throws {
      let codecs = Self.registry(try Self.decoder())
      #expect(throws: DecodingError.decoderFailed(.svg, .crashed(signal: 6))) {
        try codecs.picture(from: document)
      }
    }

    /// The sanitizer ends a process that gets no memory before it can say so.
    private static var sanitizedOutOfMemory: DecoderFailure? {
      #if OZU_ASAN
        .ended(status: 1)
      #else
        nil
      #endif
    }

    @Test("what takes too much time or memory is stopped", arguments: Drawing.swelling)
    func swelling(_ document: Data) throws {
      let codecs = Self.registry(try Self.decoder())
      let context = DecodingContext(limits: DecodingLimits(cpuTime: .seconds(1)))
      let error = #expect(throws: DecodingError.self) {
        // The header too may be what takes so long.
        try codecs.picture(from: document, context: context)
      }
      switch error {
      case .decoderFailed(.svg, .stopped(.cpuTime(.seconds(1)))), .decoderFailed(.svg, .stopped(.memory)):
        break
      case .decoderFailed(.svg, let failure) where failure == Self.sanitizedOutOfMemory: break
      default: Issue.record("\(String(describing: error))")
      }
    }

    @Test("what cannot be drawn is corrupt, with the renderer's reason")
    func broken() throws {
      let codecs = Self.registry(try Self.decoder())
      let error = #expect(throws: DecodingError.self) {
        try codecs.header(of: Data("<svg xmlns='http://www.w3.org/2000/svg'><g></svg>".utf8))
      }
      guard case .corrupt(.svg, "header", let reason) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(!reason.isEmpty && !reason.contains("\n"))
    }

    @Test("a size over the limits is refused before anything is drawn")
    func limits() throws {
      let codecs = Self.registry(try Self.decoder())
      let document = Drawing.document("", "width='70000' height='10'")
      let error = #expect(throws: DecodingError.self) { try codecs.picture(from: document) }
      guard case .limitExceeded = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }

    @Test("the limits follow from the caller's, and leave room for layers")
    func processLimits() {
      let small = SVGProcessLimits(cpuTime: .milliseconds(1), deadline: .seconds(60))
      #expect(small == SVGProcessLimits(cpuSeconds: 1, memoryByteCount: 256 << 20, deadline: .seconds(60)))
      let large = SVGProcessLimits(
        pixelByteCount: 100 << 20, cpuTime: .milliseconds(10_500), deadline: .seconds(1))
      #expect(large == SVGProcessLimits(cpuSeconds: 11, memoryByteCount: 656 << 20, deadline: .seconds(1)))
      #expect(SVGProcessLimits(pixelByteCount: .max, cpuTime: .zero, deadline: .zero).cpuSeconds == 1)
    }
  }
#endif
