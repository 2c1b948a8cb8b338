#if os(Linux)
  import Foundation
  import OzuCodecs
  import OzuImaging
  import OzuIsolation
  import OzuStandardCodecs

  /// The helper of Ozu. Under another name it has one more decoder, which is asked first: for a file with a marker in it,
  /// that decoder ends the process as Swift does for a number that nobody expected.
  enum Pictures {
    /// The names under which the program is this helper. `HelperWithTrap` of the tests makes the second one, and has the marker
    /// too: a helper does not link what is for tests.
    static let name = "ozu-decode-of-the-drills"
    static let nameWithTrap = "ozu-decode-with-a-trap"

    static func run() {
      let program = CommandLine.arguments[0]
      guard program.hasSuffix(name) || program.hasSuffix(nameWithTrap) else { return }
      DecoderIsolation.runIfHelper { hasDeepStack in
        var codecs = CodecRegistry.helper(hasDeepStack: hasDeepStack)
        if program.hasSuffix(nameWithTrap) { codecs.register(decoder: TrapDecoder()) }
        return codecs
      }
    }

    private struct TrapDecoder: MetadataRewriter {
      /// None of its own, so that libraries are still loaded for those of the others.
      var types: [ImageType] { [] }

      func accepts(_ data: Data, as type: ImageType?) -> Bool {
        data.range(of: Data("<a trap of ozu/>".utf8)) != nil
      }

      func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any ImageFile {
        preconditionFailure("a trap in a decoder, for \(data.count) bytes")
      }

      func rewritten(
        _ data: Data, _ task: MetadataRewriting, limits: DecodingLimits
      ) throws(ImageDecodingError) -> MetadataRewriting.Outcome {
        preconditionFailure("a trap where metadata are written again, for \(data.count) bytes")
      }
    }
  }
#endif
