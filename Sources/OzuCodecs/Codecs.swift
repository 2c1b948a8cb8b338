import OzuImaging

extension CodecRegistry {
  /// All codecs that this build of Ozu has, with the reason for each known format it has none for.
  ///
  /// JPEG and PNG always; WebP with the package trait of that name.
  public static let standard = builtIn(alpha: .premultiplied)

  /// The codecs of `standard`, but decoders leave colours as stored instead of multiplying them by alpha.
  ///
  /// For checking them to the last bit.
  package static let straight = builtIn(alpha: .straight)

  private static func builtIn(alpha: Alpha) -> CodecRegistry {
    var codecs = CodecRegistry()
    if alpha == .straight { codecs.blending = .straight }
    codecs.register(decoder: JPEGDecoder())
    codecs.register(encoder: JPEGEncoder())
    codecs.register(decoder: PNGDecoder(alpha: alpha))
    codecs.register(encoder: PNGEncoder())
    codecs.register(decoder: GIFDecoder())
    codecs.register(decoder: BMPDecoder(alpha: alpha))
    codecs.register(decoder: ICODecoder(alpha: alpha))
    #if WebP
      codecs.register(decoder: WebPDecoder(alpha: alpha))
    #else
      codecs.explainAbsence(of: .webp, "built without WebP")
    #endif
    for type in [ImageType.avif, .heic, .jxl, .tiff, .svg] {
      codecs.explainAbsence(of: type, "this version of Ozu has no decoder for it")
    }
    return codecs
  }
}
