#if canImport(ImageIO)
  import Foundation
  import ImageIO
  import OzuCodecs
  import OzuImaging

  extension CodecRegistry {
    /// All codecs that are written in Swift or use ImageIO, with the reason for each known format without one.
    ///
    /// GIF, BMP, ICNS, PNM, QOI, TGA, PSD, camera RAW (its previews) and most thumbnails of JPEG use Ozu's own codecs. ImageIO reads
    /// all other formats, and writes AVIF,
    /// HEIC, PNG and JPEG, if the system supports them. Colours are converted by Core Graphics.
    public static let imageIO: CodecRegistry = {
      var codecs = CodecRegistry()
      let readable = Set([String](CGImageSourceCopyTypeIdentifiers()))
      let writable = Set([String](CGImageDestinationCopyTypeIdentifiers()))
      for type in ImageType.ofImageIO {
        guard let name = type.uniformTypeIdentifier, readable.contains(name) else {
          codecs.explainAbsence(of: type, "this system does not read it")
          continue
        }
        codecs.register(decoder: ImageIODecoder(type))
      }
      codecs.explainAbsence(of: .svg, "ImageIO does not read drawings")
      codecs.registerSmallFormats(inner: [ImageIODecoder(.png), ImageIODecoder(.jpeg)])
      codecs.registerCameraRAW(jpeg: ImageIODecoder(.jpeg))
      for type in [ImageType.avif, .heic, .png, .jpeg] {
        guard let name = type.uniformTypeIdentifier, writable.contains(name) else { continue }
        codecs.register(encoder: ImageIOEncoder(type))
      }
      codecs.markBuiltIn()
      return codecs
    }()
  }

  extension ImageType {
    /// The formats that are read through ImageIO.
    fileprivate static let ofImageIO = [ImageType.ico, .tiff, .jxl, .heic, .avif, .webp, .png, .jpeg]

    /// The system's name for the format; `nil` if it has none.
    var uniformTypeIdentifier: String? {
      switch self {
      case .jpeg: "public.jpeg"
      case .png: "public.png"
      case .gif: "com.compuserve.gif"
      case .webp: "org.webmproject.webp"
      case .avif: "public.avif"
      case .heic: "public.heic"
      case .jxl: "public.jpeg-xl"
      case .tiff: "public.tiff"
      case .bmp: "com.microsoft.bmp"
      case .ico: "com.microsoft.ico"
      default: nil
      }
    }
  }
#endif
