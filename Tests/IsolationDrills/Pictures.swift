#if os(Linux)
  import Foundation
  import OzuImaging
  import OzuIsolation
  import OzuStandardCodecs

  /// The helper of Ozu with one more decoder, which is asked first: for a file with a marker in it, it ends the process as
  /// Swift does for a number that nobody expected.
  enum Pictures {
    /// The name under which the program is this helper.
    static let name = "ozu-decode-with-a-trap"

    static func run() {
      DecoderIsolation.runIfHelper { hasDeepStack in
        var codecs = CodecRegistry.helper(hasDeepStack: hasDeepStack)
        codecs.register(decoder: TrapDecoder())
        return codecs
      }
    }

    private struct TrapDecoder: ImageDecoding {
      /// None of its own, so that libraries are still loaded for those of the others.
      var types: [ImageType] { [] }

      func accepts(_ data: Data, as type: ImageType?) -> Bool {
        data.range(of: Data("<a trap of ozu/>".utf8)) != nil
      }

      func open(_ data: Data, limits: DecodingLimits) throws(DecodingError) -> any ImageFile {
        preconditionFailure("a trap in a decoder, for \(data.count) bytes")
      }
    }
  }
#endif
