import OzuIsolation
import OzuStandardCodecs

/// For the package of the benchmarks alone: reading through a registry, without a pipeline around it.
@_spi(Benchmarks) extension CodecRegistry {
  /// The codecs of a pipeline that isolates none of them, drawings included. Not for files of strangers.
  public static var withDrawings: CodecRegistry { .standardWithDrawings }

  /// The same codecs, isolated as the settings say, in processes that are never replaced: the processor time of one that
  /// has ended would be lost.
  public static func isolated(_ settings: DecoderIsolation) -> CodecRegistry {
    var settings = settings
    settings.pictureLimit = .max
    var codecs = standardWithDrawings
    codecs.markBuiltIn()
    _ = codecs.isolate(settings)
    return codecs
  }
}
