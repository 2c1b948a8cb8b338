import OzuCodecs
import OzuImaging

extension CodecRegistry {
  /// The same codecs and, in builds that draw SVG, its decoder.
  package func withDrawings(alpha: Alpha) -> CodecRegistry {
    #if SVG
      var codecs = self
      codecs.register(decoder: SVGDecoder(alpha: alpha))
      return codecs
    #else
      return self
    #endif
  }
}
