#if HEIF
  import CCodecs
  import OzuCodecs
  import OzuImaging

  import OzuBase

  /// Decodes HEIC and other HEIF through libheif. The library turns, mirrors and crops the picture as the file
  /// says: the header's size is the upright one.
  public struct HEIFDecoder: LibraryDecoding {
    let library: LibraryDecoder

    /// Makes a decoder.
    public init() {
      var library = LibraryDecoder(type: .heic) { ozu_heif_decoder_new($0, $1, $2) }
      library.thumbnail = { HEIFExcerpt($0, type: .heic)?.thumbnail() }
      library.inspect = { (data, limits) throws(ImageDecodingError) in
        try HEIFTables.check(data.span, type: .heic)
        let excerpt = HEIFExcerpt(data, type: .heic)
        let read = excerpt?.picture() ?? data
        return LibraryDecoder.Inspection(
          data: read, largestPixelCount: try HEIFInspection.largestPixelCount(read.span, limits: limits),
          hasThumbnail: excerpt?.hasThumbnail == true, remainder: excerpt?.remainder)
      }
      self.library = library
    }
  }
#endif
