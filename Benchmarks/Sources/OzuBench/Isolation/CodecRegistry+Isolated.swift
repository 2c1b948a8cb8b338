#if os(Linux)
  @_spi(Benchmarks) import Ozu

  extension CodecRegistry {
    /// The codecs of a benchmark that are isolated: those of C libraries, JPEG and PNG. All locks hold: without them reading
    /// is an error. Registries of one domain share a process for each format.
    static func isolatedForBench(domain: String) -> CodecRegistry {
      .isolated(
        DecoderIsolation(
          .required, types: DecoderIsolation.libraryTypes.union([.jpeg, .png]), helper: .thisProgram,
          processLimit: 1,
          domain: domain))
    }
  }
#endif
