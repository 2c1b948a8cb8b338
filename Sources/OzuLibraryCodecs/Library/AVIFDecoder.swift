#if AVIF
  import CCodecs
  import OzuCodecs
  import OzuImaging

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// Decodes AVIF through libavif and dav1d: 8 to 12 bits, alpha, grids, turned, mirrored, cropped, animated.
  public struct AVIFDecoder: AnimationDecoding {
    private let library: LibraryDecoder

    /// Makes a decoder.
    public init() {
      self.init(alpha: .premultiplied)
    }

    package init(alpha: Alpha) {
      library = LibraryDecoder(type: .avif, alpha: alpha) { ozu_avif_decoder_new($0, $1, $2) }
    }

    /// AVIF.
    public var types: [ImageType] { [.avif] }

    /// Reads the boxes of the file through libavif, which decodes no pixels for it.
    ///
    /// - Throws: `DecodingError`.
    public func header(of data: Data, limits: DecodingLimits) throws(DecodingError) -> ImageHeader {
      try library.header(of: data, limits: limits)
    }

    /// Makes the result: from planes where the plan averages them, else from pixels.
    ///
    /// - Throws: `DecodingError`, as `decode` does.
    public func render(
      _ data: Data, header: ImageHeader, plan: DecodePlan, context: DecodingContext
    ) throws(DecodingError) -> Bitmap {
      try library.render(data, header: header, plan: plan, context: context)
    }

    /// Decodes the picture, or the first frame.
    ///
    /// - Throws: `DecodingError`.
    public func decode(
      _ data: Data, header: ImageHeader, plan: DecodePlan, context: DecodingContext
    ) throws(DecodingError) -> Bitmap {
      try library.decode(data, header: header, plan: plan, context: context)
    }

    /// The frames of a sequence.
    ///
    /// - Throws: `DecodingError`.
    public func frames(
      of data: Data, header: ImageHeader, limits: DecodingLimits
    ) throws(DecodingError) -> (any AnimationFrameReading)? {
      try library.frames(of: data, header: header, limits: limits)
    }
  }
#endif
