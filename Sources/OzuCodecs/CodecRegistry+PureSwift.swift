import OzuImaging

extension CodecRegistry {
  /// The codecs that are written in Swift only and work on every platform: GIF, BMP, ICO without PNG inside, and
  /// thumbnails of JPEG and camera RAW.
  ///
  /// The standard registry has more: `OzuStandardCodecs` adds the formats that ImageIO or the C libraries of the
  /// system read.
  public static let pureSwift: CodecRegistry = {
    var codecs = CodecRegistry()
    for type in [ImageType.png, .webp, .avif, .heic, .jxl, .tiff, .svg] {
      codecs.explainAbsence(of: type, "it needs ImageIO or a C library")
    }
    for type in ImageType.cameraRAW {
      codecs.register(decoder: RAWDecoder(type, jpeg: JPEGThumbnailDecoder()))
    }
    codecs.register(decoder: ICODecoder())
    codecs.register(decoder: BMPDecoder())
    codecs.register(decoder: GIFDecoder())
    codecs.register(encoder: GIFEncoder())
    codecs.register(animationEncoder: GIFEncoder())
    codecs.register(decoder: JPEGThumbnailDecoder())
    return codecs
  }()
}
