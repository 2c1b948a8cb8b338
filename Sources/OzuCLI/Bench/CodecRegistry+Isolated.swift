#if os(Linux)
  import Ozu
  import OzuIsolation
  import OzuStandardCodecs

  extension CodecRegistry {
    /// The codecs of a benchmark that are isolated: those of C libraries, and PNG. All locks hold: without them reading is
    /// an error. Registries of one domain share a process for each format.
    static func isolatedForBench(domain: String) -> CodecRegistry {
      var codecs = CodecRegistry.standardWithDrawings
      codecs.markBuiltIn()
      var settings = DecoderIsolation(
        .required, types: DecoderIsolation.libraryTypes.union([.png]), helper: .thisProgram, processLimit: 1,
        domain: domain)
      // A process that has ended has no processor time any more.
      settings.pictureLimit = .max
      _ = codecs.isolate(settings)
      return codecs
    }
  }
#endif
