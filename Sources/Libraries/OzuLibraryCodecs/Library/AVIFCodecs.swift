#if AVIF
  import CCodecs
  import OzuBase
  import OzuCodecs
  import OzuImaging

  /// Decodes AVIF through libavif and dav1d: 8 to 12 bits, alpha, grids, turned, mirrored, cropped, animated.
  public struct AVIFDecoder: LibraryDecoding {
    let library: LibraryDecoder

    /// Makes a decoder.
    public init() {
      var library = LibraryDecoder(type: .avif) { ozu_avif_decoder_new($0, $1, $2) }
      library.inspect = { (data, _) throws(ImageDecodingError) in
        try HEIFTables.check(data.span, type: .avif)
        let excerpt = HEIFExcerpt(data, type: .avif)
        let picture = excerpt?.picture()
        if picture == nil { try HEIFTables.checkTransforms(data.span) }
        return LibraryDecoder.Inspection(data: picture ?? data, remainder: excerpt?.remainder)
      }
      self.library = library
    }
  }

  /// Writes AVIF through libavif, lossy or lossless. `QualityScale` has the quantizer of a quality. Chroma is
  /// stored at full size, unless the options say otherwise: photographs take 1 to 3 % less bytes at the same look, drawn
  /// pictures up to a sixth less. A bitmap of 16 bits is written with 10 bits, or with
  /// 12 if it is lossless. One thread; speed 6 of 10, or 10 for low effort and 5 for high effort.
  public struct AVIFEncoder: ImageEncoding {
    private let library = LibraryEncoder(type: .avif, sideLimit: 65_535, acceptsDeep: true) {
      ozu_avif_encode($0, $1, $2, $3)
    }

    /// Makes an encoder.
    public init() {}

    /// AVIF.
    public var type: ImageType { .avif }

    /// Always true.
    public var keepsAlpha: Bool { true }

    /// All kinds; the resolution as EXIF data.
    public var keptMetadata: MetadataKinds { .all }

    /// Always true.
    public var writesColorCodes: Bool { true }

    /// Encodes a bitmap.
    ///
    /// - Throws: `tooLarge` above 65,535 pixels a side; `failed` with the library's message.
    public func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(ImageEncodingError) -> Data {
      let file = try library.encode(bitmap, options: options)
      guard let levels = options.metadata.lightLevels else { return file }
      return HEIFLightLevels.adding(levels, to: file) ?? file
    }
  }
#endif
