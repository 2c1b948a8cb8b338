#if JXL
  import CCodecs
  import OzuCodecs
  import OzuImaging

  import OzuBase

  /// Writes JPEG XL through libjxl, lossy or lossless, with effort 5 of 9, or 3 for low effort and 8 for high
  /// effort. Quality 0 to 1 is 0 to 100 in libjxl's own tools.
  public struct JXLEncoder: ImageEncoding {
    private let library = LibraryEncoder(type: .jxl, sideLimit: 65_535, acceptsDeep: true) {
      ozu_jxl_encode($0, $1, $2, $3)
    }

    /// Makes an encoder.
    public init() {}

    /// JPEG XL.
    public var type: ImageType { .jxl }

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
      try library.encode(bitmap, options: options)
    }
  }
#endif
