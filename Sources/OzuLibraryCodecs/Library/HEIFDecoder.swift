#if HEIF
  import CCodecs
  import OzuCodecs
  import OzuImaging

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// Decodes HEIC and other HEIF through libheif. Turns, mirrors and crops of the file are applied by the library: the
  /// header's size is the upright one.
  public struct HEIFDecoder: EmbeddedThumbnailDecoding {
    private let library: LibraryDecoder
    private let thumbnails: LibraryDecoder

    /// Makes a decoder.
    public init() {
      self.init(alpha: .premultiplied)
    }

    package init(alpha: Alpha) {
      library = LibraryDecoder(type: .heic, alpha: alpha) { ozu_heif_decoder_new($0, $1, $2) }
      thumbnails = LibraryDecoder(type: .heic, alpha: alpha) { ozu_heif_thumbnail_decoder_new($0, $1, $2) }
    }

    /// HEIC, and other HEIF.
    public var types: [ImageType] { [.heic] }

    /// Reads the header through the library, which decodes no pixels for it.
    ///
    /// - Throws: `DecodingError`.
    public func header(of data: Data, limits: DecodingLimits) throws(DecodingError) -> ImageHeader {
      try library.header(of: data, limits: limits)
    }

    /// Decodes the picture.
    ///
    /// - Throws: `DecodingError`.
    public func decode(
      _ data: Data, header: ImageHeader, plan: DecodePlan, context: DecodingContext
    ) throws(DecodingError) -> Bitmap {
      try library.decode(data, header: header, size: plan.decodedSize, context: context)
    }

    /// Decodes the first of the thumbnails of the file.
    ///
    /// - Throws: `cancelled` and `limitExceeded` alone.
    public func embeddedThumbnail(
      of data: Data, header: ImageHeader, atLeast smallest: PixelSize, context: DecodingContext
    ) throws(DecodingError) -> Bitmap? {
      do throws(DecodingError) {
        var thumbnail = try thumbnails.header(of: data, limits: context.limits)
        guard thumbnail.storedSize.width >= smallest.width, thumbnail.storedSize.height >= smallest.height
        else { return nil }
        try context.limits.check(thumbnail)
        thumbnail.colorEncoding = header.colorEncoding
        return try thumbnails.decode(data, header: thumbnail, size: thumbnail.storedSize, context: context)
      } catch {
        switch error {
        case .cancelled, .limitExceeded: throw error
        default: return nil
        }
      }
    }
  }
#endif
