import OzuCodecs
import OzuImaging
import OzuLibraryCodecs

extension CodecRegistry {
  /// The same codecs and, in builds that draw SVG, its decoder.
  func withDrawings(alpha: Alpha) -> CodecRegistry {
    #if SVG
      var codecs = self
      codecs.register(decoder: SVGDecoder(alpha: alpha))
      return codecs
    #else
      return self
    #endif
  }
}
