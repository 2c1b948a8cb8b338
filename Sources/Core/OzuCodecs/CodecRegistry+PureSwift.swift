import OzuBase
import OzuImaging

extension CodecRegistry {
  /// The codecs that are written in Swift only and work on every platform: GIF, BMP, ICO and ICNS without PNG inside, PNM,
  /// QOI, TGA, PSD, and thumbnails of JPEG and camera RAW.
  ///
  /// The standard registry has more: `OzuStandardCodecs` adds the formats that ImageIO or the C libraries of the
  /// system read.
  public static let pureSwift: CodecRegistry = {
    var codecs = CodecRegistry()
    codecs.registerSmallFormats(inner: [])
    codecs.registerCameraRAW(jpeg: JPEGThumbnailDecoder())
    codecs.register(decoder: ICODecoder())
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
  package mutating func registerSmallFormats(inner: [any ImageDecoding]) {
    register(decoder: ICNSDecoder(inner: inner))
    register(decoder: PSDDecoder())
    register(decoder: TGADecoder())
    register(decoder: QOIDecoder())
    register(encoder: QOIEncoder())
    register(decoder: PNMDecoder())
    register(encoder: PNMEncoder())
    register(decoder: BMPDecoder())
    register(decoder: GIFDecoder())
    register(encoder: GIFEncoder())
    register(animationEncoder: GIFEncoder())
  }

  /// Adds the previews of camera RAW files.
  ///
  /// - Parameter jpeg: decodes them.
  package mutating func registerCameraRAW(jpeg: any ImageDecoding) {
    for type in ImageType.cameraRAW { register(decoder: RAWDecoder(type, jpeg: jpeg)) }
  }
}

extension CodecRegistry {
  /// Encodes a picture as JPEG with a gain map after it, in no more bytes than the options allow for both.
  ///
  /// Readers without support for gain maps show the picture. Readers of ISO 21496-1 and of Ultra HDR 1 show it brighter if the
  /// display can do so.
  ///
  /// - Parameters:
  ///   - bitmap: the picture.
  ///   - gainMap: the map, with the aspect ratio of the picture.
  ///   - notes: receives a line if XMP of the options cannot be kept together with the map.
  /// - Throws: `ImageEncodingError`; `failed` for a map that does not fit the picture.
  public func encode(
    _ bitmap: Bitmap, with gainMap: GainMapPicture, options: EncodingOptions = EncodingOptions(),
    notes: inout [String]
  ) throws(ImageEncodingError) -> Data {
    var numbers = gainMap.numbers
    numbers.size = gainMap.bitmap.size
    if let flaw = numbers.flaw(for: bitmap.size) {
      throw .failed(.jpeg, reason: "the gain map cannot be used: \(flaw)")
    }
    // A map has few pixels, and applying it multiplies their errors.
    let mapOptions = EncodingOptions(compressionQuality: max(options.quality(for: .jpeg), 0.9))
    let map = JPEGGainMapFile.described(
      try encode(gainMap.bitmap, as: .jpeg, options: mapOptions), by: numbers)
    var options = options
    let xmp = GainMapXMP.announcement(ofMap: map.count, in: options.metadata.xmp)
    if !xmp.isKept { notes.append("XMP is left out: it cannot be kept together with the gain map") }
    options.metadata.xmp = xmp.packet
    options.maximumByteCount = options.maximumByteCount.map {
      max(1, $0 - map.count - JPEGGainMapFile.overhead)
    }
    return JPEGGainMapFile.joined(try encode(bitmap, as: .jpeg, options: options), map)
  }
}
