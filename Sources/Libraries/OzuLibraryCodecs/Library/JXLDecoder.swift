#if JXL
  import CCodecs
  import OzuCodecs
  import OzuImaging

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// Decodes JPEG XL through libjxl: lossy, lossless, with alpha, turned, animated.
  public struct JXLDecoder: ImageDecoding {
    let library: LibraryDecoder

    /// Makes a decoder.
    public init() {
      self.init(alpha: .premultiplied)
    }

    package init(alpha: Alpha) {
      var library = LibraryDecoder(type: .jxl, alpha: alpha) { ozu_jxl_decoder_new($0, $1, $2) }
      library.feed = { (header, isPremultiplied, context) throws(ImageDecodingError) in
        try JXLFeed(header: header, alpha: alpha, isPremultiplied: isPremultiplied, context: context)
      }
      self.library = library
    }

    /// JPEG XL.
    public var types: [ImageType] { library.types }

    /// Opens a file with the library, which decodes no pixels for it.
    ///
    /// - Throws: `ImageDecodingError`.
    public func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any ImageFile {
      try library.open(data, limits: limits)
    }

    /// Loads libjxl.
    ///
    /// - Throws: `unsupportedType` if it is not installed.
    public func prepare() throws(ImageDecodingError) { try library.prepare() }

    /// Opens a file by its first bytes, with the library, which knows how many it needs.
    ///
    /// - Throws: `corrupt`.
    public func open(beginning data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> PartialFile {
      try PartialFile { () throws(ImageDecodingError) in .opened(try open(data, limits: limits)) }
    }
  }
#endif
