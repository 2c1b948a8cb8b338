import OzuIsolation
import OzuStandardCodecs

/// For the benchmark package only: decoding through a registry without a pipeline.
@_spi(Benchmarks) extension CodecRegistry {
  /// The codecs of a pipeline without isolation, including SVG. Not for untrusted files.
  public static var withDrawings: CodecRegistry { .standardWithDrawings }

  /// The same codecs, isolated by the settings, in processes that are never replaced: the processor time of a process
  /// that has ended would be lost.
  public static func isolated(_ settings: DecoderIsolation) -> CodecRegistry {
    var settings = settings
    settings.pictureLimit = .max
    var codecs = standardWithDrawings
    codecs.markBuiltIn()
    _ = codecs.isolate(settings)
    return codecs
  }
}
