import OzuCodecs
import OzuImaging

extension CodecRegistry {
  /// All codecs of this build that are written in Swift or use C libraries, with the reason for each known format
  /// without one.
  ///
  /// JPEG, PNG, GIF, BMP, ICO, ICNS, PNM, QOI, TGA, PSD and the previews of camera RAW are always included; WebP, AVIF, HEIF, JPEG XL and TIFF with the package traits of
  /// those names. SVG is included only after `registerInProcessSVG()`. Colours are converted by Little CMS.
  public static let libraries: CodecRegistry = {
    var codecs = CodecRegistry()
    codecs.register(colorConverter: ColorConverter())
    codecs.addOptional()
    codecs.registerCameraRAW(jpeg: JPEGDecoder())
    codecs.register(decoder: DeltaDecoder())
    codecs.register(encoder: DeltaEncoder())
    codecs.registerSmallFormats(inner: [PNGDecoder(), JPEGDecoder()])
    codecs.register(decoder: ICODecoder(png: PNGDecoder()))
    codecs.register(decoder: PNGDecoder())
    codecs.register(encoder: PNGEncoder())
    codecs.register(animationEncoder: PNGEncoder())
    codecs.register(decoder: JPEGDecoder())
    codecs.register(encoder: JPEGEncoder())
    codecs.markBuiltIn()
    return codecs
  }()

  /// The codecs of `libraries`, but their decoders do not premultiply colours.
  ///
  /// Only for tests that compare decoders bit by bit.
  package static let straight: CodecRegistry = {
    var codecs = libraries
    codecs.alpha = .straight
    return codecs
  }()

  private mutating func addOptional() {
    #if SVG
      explainAbsence(
        of: .svg, "it is drawn only in isolation, or after codecs.registerInProcessSVG()")
      explainAbsence(of: .label, "a label is drawn from its value, not from a file")
      register(labelDecoder: LabelDecoder())
    #else
      explainAbsence(of: .svg, "built without SVG")
      explainAbsence(of: .label, "built without SVG")
    #endif
    #if TIFF
      register(decoder: TIFFDecoder())
    #else
      explainAbsence(of: .tiff, "built without TIFF")
    #endif
    #if JXL
      register(decoder: JXLDecoder())
      register(encoder: JXLEncoder())
    #else
      explainAbsence(of: .jxl, "built without JXL")
    #endif
    #if HEIF
      register(decoder: HEIFDecoder())
    #else
      explainAbsence(of: .heic, "built without HEIF")
    #endif
    #if AVIF
      register(decoder: AVIFDecoder())
      register(encoder: AVIFEncoder())
    #else
      explainAbsence(of: .avif, "built without AVIF")
    #endif
    #if WebP
      register(decoder: WebPDecoder())
      register(encoder: WebPEncoder())
      register(animationEncoder: WebPEncoder())
    #else
      explainAbsence(of: .webp, "built without WebP")
    #endif
  }
}

extension CodecRegistry {
  /// The same codecs and, in builds with SVG, its decoder.
  ///
  /// - Parameters:
  ///   - hasDeepStack: as in `SVGDecoder`.
  ///   - readsLabels: whether the documents of labels are read like files, for a process that gets no others.
  package func withDrawings(hasDeepStack: Bool = false, readsLabels: Bool = false) -> CodecRegistry {
    #if SVG
      var codecs = self
      codecs.register(decoder: SVGDecoder(hasDeepStack: hasDeepStack))
      if readsLabels { codecs.register(decoder: LabelDecoder()) }
      return codecs
    #else
      return self
    #endif
  }
}
