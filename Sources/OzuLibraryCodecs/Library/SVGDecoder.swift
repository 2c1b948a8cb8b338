#if SVG
  import CCodecs
  import OzuCodecs
  import OzuImaging

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// Draws SVG through librsvg at the wanted size: a drawing is not resampled.
  ///
  /// No other file is read and no URL is loaded, whatever the drawing refers to. A hostile drawing can end the
  /// process: see `CodecRegistry.registerInProcessSVG()`.
  public struct SVGDecoder: ImageDecoding {
    let library: LibraryDecoder

    /// Makes a decoder.
    public init() {
      self.init(alpha: .premultiplied)
    }

    /// - Parameter hasDeepStack: whether each calling thread has a stack on which librsvg can recurse: at least 16
    ///   MB. Otherwise it draws on threads of its own.
    package init(alpha: Alpha, hasDeepStack: Bool = false) {
      var library = LibraryDecoder(type: .svg, alpha: alpha) {
        ozu_svg_decoder_new($0, $1, $2, hasDeepStack)
      }
      library.isDrawing = true
      self.library = library
    }

    /// SVG.
    public var types: [ImageType] { library.types }

    /// Opens a file with the library, which decodes no pixels for it.
    ///
    /// - Throws: `DecodingError`.
    public func open(_ data: Data, limits: DecodingLimits) throws(DecodingError) -> any ImageFile {
      try library.open(data, limits: limits)
    }

    /// Loads librsvg.
    ///
    /// - Throws: `unsupportedType` if it is not installed.
    public func prepare() throws(DecodingError) { try library.prepare() }
  }
#endif
