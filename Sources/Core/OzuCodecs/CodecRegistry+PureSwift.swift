import OzuImaging

extension CodecRegistry {
  /// The codecs that are written in Swift only and work on every platform: GIF, BMP, ICO and ICNS without PNG inside, PNM,
  /// QOI, TGA, PSD, and thumbnails of JPEG and camera RAW.
  ///
  /// The standard registry has more: `OzuStandardCodecs` adds the formats that ImageIO or the C libraries of the
  /// system read.
  public static let pureSwift: CodecRegistry = {
    var codecs = CodecRegistry()
    codecs.registerSmallFormats(alpha: .premultiplied, inner: [])
    codecs.registerCameraRAW(jpeg: JPEGThumbnailDecoder())
    codecs.register(decoder: ICODecoder())
    codecs.register(decoder: BMPDecoder())
    codecs.register(decoder: GIFDecoder())
    codecs.register(encoder: GIFEncoder())
    codecs.register(animationEncoder: GIFEncoder())
    codecs.register(decoder: JPEGThumbnailDecoder())
    let types = codecs.decodableTypes
    for format in ImageFormat.read where !types.contains(format.type) {
      codecs.explainAbsence(of: format.type, "it needs ImageIO or a C library")
    }
    return codecs
  }()

  /// Adds the formats of programs that are simple enough for Swift alone on every platform.
  ///
  /// - Parameter inner: the decoders of the PNG and JPEG in icons.
  package mutating func registerSmallFormats(alpha: Alpha, inner: [any ImageDecoding]) {
    register(decoder: ICNSDecoder(alpha: alpha, inner: inner))
    register(decoder: PSDDecoder(alpha: alpha))
    register(decoder: TGADecoder(alpha: alpha))
    register(decoder: QOIDecoder(alpha: alpha))
    register(encoder: QOIEncoder())
    register(decoder: PNMDecoder(alpha: alpha))
    register(encoder: PNMEncoder())
  }

  /// Adds the previews of camera RAW files.
  ///
  /// - Parameter jpeg: decodes them.
  package mutating func registerCameraRAW(jpeg: any ImageDecoding) {
    for type in ImageType.cameraRAW { register(decoder: RAWDecoder(type, jpeg: jpeg)) }
  }
}
