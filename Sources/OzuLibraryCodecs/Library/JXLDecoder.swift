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
  public struct JXLDecoder: AnimationDecoding {
    let library: LibraryDecoder

    /// Makes a decoder.
    public init() {
      self.init(alpha: .premultiplied)
    }

    package init(alpha: Alpha) {
      library = LibraryDecoder(type: .jxl, alpha: alpha) { ozu_jxl_decoder_new($0, $1, $2) }
    }

    /// JPEG XL.
    public var types: [ImageType] { [.jxl] }

    /// Reads the header through libjxl, which decodes no pixels for it.
    ///
    /// - Throws: `DecodingError`.
    public func header(of data: Data, limits: DecodingLimits) throws(DecodingError) -> ImageHeader {
      try library.header(of: data, limits: limits)
    }

    /// Decodes the picture, or the first frame.
    ///
    /// - Throws: `DecodingError`.
    public func decode(
      _ data: Data, header: ImageHeader, plan: DecodePlan, context: DecodingContext
    ) throws(DecodingError) -> Bitmap {
      try library.decode(data, header: header, plan: plan, context: context)
    }

    /// The frames of an animation.
    ///
    /// - Throws: `DecodingError`.
    public func frames(
      of data: Data, header: ImageHeader, limits: DecodingLimits
    ) throws(DecodingError) -> (any AnimationFrameReading)? {
      try library.frames(of: data, header: header, limits: limits)
    }
  }
#endif
