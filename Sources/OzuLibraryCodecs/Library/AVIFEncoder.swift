#if AVIF
  import CCodecs
  import OzuCodecs
  import OzuImaging

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// Writes AVIF through libavif, lossy or lossless. Quality 0 to 1 is a quantizer from 63 to 0; from 0.9 on the chroma
  /// is stored in full, unless the options say how. Of 16 bits, 10 are written, and 12 without loss. One thread, speed 8 of 10; 10 with little effort and 5 with much.
  public struct AVIFEncoder: ImageEncoding {
    private let library = LibraryEncoder(type: .avif, sideLimit: 65_535, acceptsDeep: true) {
      ozu_avif_encode($0, $1, $2, $3)
    }

    /// Makes an encoder.
    public init() {}

    /// AVIF.
    public var type: ImageType { .avif }

    /// AVIF has alpha.
    public var keepsAlpha: Bool { true }

    /// All; the resolution in EXIF data.
    public var keptMetadata: MetadataKinds { .all }

    /// They are.
    public var writesColorCodes: Bool { true }

    /// Encodes a bitmap.
    ///
    /// - Throws: `tooLarge` above 65,535 pixels a side; `failed` with the library's words.
    public func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(EncodingError) -> Data {
      let file = try library.encode(bitmap, options: options)
      guard let levels = options.metadata.lightLevels else { return file }
      return HEIFLightLevels.adding(levels, to: file) ?? file
    }
  }
#endif
