import OzuCodecs
import OzuImaging

extension CodecRegistry {
  /// The same codecs and, in builds with SVG, its decoder.
  ///
  /// - Parameter hasDeepStack: as in `SVGDecoder`.
  package func withDrawings(alpha: Alpha, hasDeepStack: Bool = false) -> CodecRegistry {
    #if SVG
      var codecs = self
      codecs.register(decoder: SVGDecoder(alpha: alpha, hasDeepStack: hasDeepStack))
      return codecs
    #else
      return self
    #endif
  }
}
