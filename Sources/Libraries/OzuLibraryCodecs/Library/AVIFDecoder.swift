#if AVIF
  import CCodecs
  import OzuCodecs
  import OzuImaging

  import OzuBase

  /// Decodes AVIF through libavif and dav1d: 8 to 12 bits, alpha, grids, turned, mirrored, cropped, animated.
  public struct AVIFDecoder: ImageDecoding {
    let library: LibraryDecoder

    /// Makes a decoder.
    public init() {
      self.init(alpha: .premultiplied)
    }

    package init(alpha: Alpha) {
      var library = LibraryDecoder(type: .avif, alpha: alpha) { ozu_avif_decoder_new($0, $1, $2) }
      library.inspect = { (data, _) throws(ImageDecodingError) in
        try HEIFTables.check(data.span, type: .avif)
        let excerpt = HEIFExcerpt(data, type: .avif)
        return LibraryDecoder.Inspection(
          data: excerpt?.picture() ?? data, remainder: excerpt?.remainder)
      }
      self.library = library
    }

    /// AVIF.
    public var types: [ImageType] { library.types }

    /// Opens a file with the library, which decodes no pixels for it.
    ///
    /// - Throws: `ImageDecodingError`.
    public func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any ImageFile {
      try library.open(data, limits: limits)
    }

    /// Loads libavif.
    ///
    /// - Throws: `unsupportedType` if it is not installed.
    public func prepare() throws(ImageDecodingError) { try library.prepare() }
  }
#endif
