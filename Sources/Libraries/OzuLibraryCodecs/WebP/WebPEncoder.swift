#if WebP
  import CCodecs
  import OzuCodecs
  import OzuImaging

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// Writes WebP through libwebp, lossy or lossless. Quality 0 to 1 is libwebp's 0 to 100. EXIF data, XMP and a
  /// profile are added to the library's file; the resolution is part of the EXIF data.
  public struct WebPEncoder: ImageEncoding {
    private let library = LibraryEncoder(type: .webp, sideLimit: 16_383) {
      ozu_webp_encode($0, $1, $2, $3)
    }

    /// Makes an encoder.
    public init() {}

    /// WebP.
    public var type: ImageType { .webp }

    /// Always true.
    public var keepsAlpha: Bool { true }

    /// All kinds; the resolution as EXIF data.
    public var keptMetadata: MetadataKinds { .all }

    /// Encodes a bitmap.
    ///
    /// - Throws: `tooLarge` above 16,383 pixels a side; `failed` with the library's message.
    public func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(ImageEncodingError) -> Data {
      let data = try library.encode(bitmap, options: options)
      return WebPContainer.insert(options.metadata, into: data, size: bitmap.size)
    }
  }
#endif
