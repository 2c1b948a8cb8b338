#if SVG
  import CCodecs
  import OzuCodecs
  import OzuImaging

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// Draws SVG through librsvg, at the size that is wanted: a drawing is not resampled, but drawn larger or smaller.
  ///
  /// No other file is read and no address asked, whatever the drawing names. A hostile drawing can end the process: see
  /// `CodecRegistry.registerInProcessSVG()`.
  public struct SVGDecoder: ImageDecoding {
    private let library: LibraryDecoder

    /// Makes a decoder.
    public init() {
      self.init(alpha: .premultiplied)
    }

    package init(alpha: Alpha) {
      library = LibraryDecoder(type: .svg, alpha: alpha) { ozu_svg_decoder_new($0, $1, $2) }
    }

    /// SVG.
    public var types: [ImageType] { [.svg] }

    /// Reads the document, and works out how large it is on a screen of 96 dots to the inch.
    ///
    /// - Throws: `DecodingError`.
    public func header(of data: Data, limits: DecodingLimits) throws(DecodingError) -> ImageHeader {
      var header = try library.header(of: data, limits: limits)
      header.isDrawing = true
      return header
    }

    /// Draws the document at the decoded size of the plan.
    ///
    /// - Throws: `DecodingError`.
    public func decode(
      _ data: Data, header: ImageHeader, plan: DecodePlan, context: DecodingContext
    ) throws(DecodingError) -> Bitmap {
      try library.decode(data, header: header, size: plan.decodedSize, context: context)
    }
  }
#endif
