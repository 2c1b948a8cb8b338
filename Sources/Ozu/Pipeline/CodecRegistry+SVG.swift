import OzuImaging

#if SVG && !canImport(ImageIO)
  import OzuLibraryCodecs
#endif

extension CodecRegistry {
  /// Draws SVG too, in this process. Off by default, and only for drawings that the app brings itself or made itself.
  ///
  /// ```swift
  /// let pipeline = ImagePipeline { $0.decoding.codecs.registerInProcessSVG() }
  /// ```
  ///
  /// SVG is known by its content, whatever its name or media type says, so this concerns every source of a pipeline. A
  /// drawing of a stranger can do what no other format can:
  /// - A few bytes can make librsvg 2.54 abort the process, with every other load in it.
  /// - `DecodingLimits.cpuTime` does not stop a drawing once it is being drawn, and no limit counts the memory that
  ///   its filters take: a kilobyte can take minutes and gigabytes.
  ///
  /// Drawings of strangers are read in processes of their own: `ImagePipeline.Configuration.Decoding.isolation`.
  ///
  /// Changes nothing in builds without the trait `SVG`, and where the system has no librsvg; the error for a drawing
  /// says so.
  public mutating func registerInProcessSVG() {
    #if SVG && !canImport(ImageIO)
      register(decoder: SVGDecoder())
    #endif
  }
}
