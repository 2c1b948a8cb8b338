import OzuImaging
import OzuIsolation
import OzuStandardCodecs

#if SVG && !canImport(ImageIO)
  import OzuLibraryCodecs
#endif

extension CodecRegistry {
  /// Adds a decoder that draws SVG in this process. Off by default. Use it only for drawings of the app itself.
  ///
  /// ```swift
  /// let pipeline = ImagePipeline { $0.decoding.codecs.registerInProcessSVG() }
  /// ```
  ///
  /// SVG is detected by its content, independent of its name or media type, so this affects every source of a
  /// pipeline. An untrusted drawing is more dangerous than a file of any other format:
  /// - A few bytes can make librsvg 2.54 abort the process, with every other load in it.
  /// - `DecodingLimits.cpuTime` does not stop a drawing after it has begun, and no limit counts the memory of its
  ///   filters: a kilobyte can take minutes and gigabytes.
  ///
  /// Decode untrusted drawings in isolated processes: `ImagePipeline.Configuration.Decoding.isolation`.
  ///
  /// Does nothing in builds without the trait `SVG`, or if the system has no librsvg; the error for a drawing says
  /// so.
  public mutating func registerInProcessSVG() {
    #if SVG && !canImport(ImageIO)
      register(decoder: SVGDecoder())
    #endif
  }
}

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
