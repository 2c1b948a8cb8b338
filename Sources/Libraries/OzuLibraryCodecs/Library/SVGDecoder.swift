#if SVG
  import CCodecs
  import OzuBase
  import OzuCodecs
  import OzuImaging

  /// Draws SVG through librsvg at the wanted size: a drawing is not resampled.
  ///
  /// The file may be compressed (SVGZ), and in UTF-16. Pictures inside it are drawn: PNG, JPEG, GIF, WebP, BMP, ICO, AVIF, JPEG XL, TIFF and
  /// SVG; a note says what was left out. No other file is read and no URL is loaded, whatever the drawing refers to. A hostile drawing can end the
  /// process: see `CodecRegistry.registerInProcessSVG()`.
  public struct SVGDecoder: LibraryDecoding {
    let library: LibraryDecoder

    /// Makes a decoder.
    public init() { self.init(hasDeepStack: false) }

    /// - Parameter hasDeepStack: whether each calling thread has a stack on which librsvg can recurse: at least 16
    ///   MB. Otherwise it draws on threads of its own.
    package init(hasDeepStack: Bool) {
      var library = LibraryDecoder(type: .svg) {
        ozu_svg_decoder_new($0, $1, $2, hasDeepStack)
      }
      library.isDrawing = true
      self.library = library
    }

    /// Opens a file with the library, which decodes no pixels for it.
    ///
    /// - Throws: `ImageDecodingError`.
    public func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any ImageFile {
      let text = try DrawingText.readable(inflated(data, limits))
      guard Self.mayHavePictures(text) else { return try library.open(text, limits: limits) }
      let pictures = DrawingPictures(text, limits: limits)
      var library = library
      library.notes = pictures.notes
      return try library.open(pictures.data, limits: limits)
    }

    /// The text of a drawing that may be compressed (SVGZ). Its length is limited like that of a file.
    private func inflated(_ data: Data, _ limits: DecodingLimits) throws(ImageDecodingError) -> Data {
      guard Gzip.begins(data) else { return data }
      let inflated = Gzip(inflating: data, atMost: limits.encodedByteCount)
      switch inflated.end {
      case .whole: return Data(inflated.bytes)
      case .limit:
        try limits.checkEncodedByteCount(limits.encodedByteCount.saturatingSum(1))
        return Data(inflated.bytes)
      case .cut: throw .truncated(.svg, stage: "compressed data")
      case .broken: throw .corrupt(.svg, stage: "compressed data", reason: "it cannot be inflated")
      }
    }

    /// Whether pictures may be in it: the names of their elements occur (`image`, `feImage`), an address of data, or what
    /// writes these in another way, which are entities, characters as numbers, escapes of CSS and style sheets elsewhere.
    private static func mayHavePictures(_ data: Data) -> Bool {
      let bytes = data.span
      return bytes.indices.dropLast(3).contains {
        switch (bytes[$0], bytes[$0 + 1], bytes[$0 + 2], bytes[$0 + 3]) {
        case (UInt8(ascii: "m"), UInt8(ascii: "a"), UInt8(ascii: "g"), UInt8(ascii: "e")),
          (UInt8(ascii: "N"), UInt8(ascii: "T"), UInt8(ascii: "I"), UInt8(ascii: "T")),
          (UInt8(ascii: "&"), UInt8(ascii: "#"), _, _), (UInt8(ascii: "\\"), _, _, _),
          (UInt8(ascii: "-"), UInt8(ascii: "s"), UInt8(ascii: "t"), UInt8(ascii: "y")):
          true
        case (_, _, let last, UInt8(ascii: ":")):
          // The end of "data:" and "DATA:".
          last | 0x20 == UInt8(ascii: "a")
        default: false
        }
      }
    }

    /// Loads librsvg, and the libraries for pictures inside drawings, as far as they are installed: where a drawing is drawn
    /// in isolation, none can be loaded later. The latter take 6 ms, once for each process.
    ///
    /// - Throws: `unsupportedType` if librsvg is not installed.
    public func prepare() throws(ImageDecodingError) {
      try library.prepare()
      for type in DrawingPictures.convertedTypes { try? CodecRegistry.libraries.prepare(for: [type]) }
    }
  }
#endif
