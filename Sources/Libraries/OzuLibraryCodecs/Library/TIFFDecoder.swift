#if TIFF
  import CCodecs
  import OzuImaging

  /// Decodes the first page of a TIFF through libtiff: bilevel, grey, palettes, RGB, CMYK, Lab, YCbCr, in strips or tiles;
  /// integers of 1 to 16 bits, floating point from 0 to 1.
  ///
  /// In a pyramid, as written by libvips, GDAL and others, smaller pictures and their parts are made from the
  /// smallest level that is large enough (`ImageFile.smaller(for:limits:)`).
  public struct TIFFDecoder: LibraryDecoding {
    let library: LibraryDecoder

    /// Makes a decoder.
    public init() {
      var library = LibraryDecoder(type: .tiff) { ozu_tiff_decoder_new($0, $1, $2) }
      library.level = { ozu_tiff_level_decoder_new($0, $1, $2, $3) }
      self.library = library
    }
  }
#endif
