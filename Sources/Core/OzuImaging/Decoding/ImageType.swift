/// The format of an image file.
///
/// A struct, not an enumeration, so that an app can add the type of its own decoder.
public struct ImageType: RawRepresentable, Hashable, Sendable {
  /// A short lower-case name, for example `jpeg`; unique among types.
  public let rawValue: String

  /// Makes a type from its short name.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// JPEG (ITU-T T.81).
  public static let jpeg = ImageType(rawValue: "jpeg")
  /// PNG, animated or not (W3C PNG, third edition).
  public static let png = ImageType(rawValue: "png")
  /// GIF (87a and 89a).
  public static let gif = ImageType(rawValue: "gif")
  /// WebP (RFC 9649).
  public static let webp = ImageType(rawValue: "webp")
  /// AVIF.
  public static let avif = ImageType(rawValue: "avif")
  /// HEIC and other HEIF.
  public static let heic = ImageType(rawValue: "heic")
  /// JPEG XL (ISO/IEC 18181).
  public static let jxl = ImageType(rawValue: "jxl")
  /// TIFF 6.0.
  public static let tiff = ImageType(rawValue: "tiff")
  /// Windows bitmap.
  public static let bmp = ImageType(rawValue: "bmp")
  /// Windows icon or cursor.
  public static let ico = ImageType(rawValue: "ico")
  /// Scalable Vector Graphics.
  public static let svg = ImageType(rawValue: "svg")
  /// The portable formats of Netpbm: bitmaps, graymaps, pixmaps and PAM.
  public static let pnm = ImageType(rawValue: "pnm")
  /// The Quite OK Image Format.
  public static let qoi = ImageType(rawValue: "qoi")
  /// Truevision TGA.
  public static let tga = ImageType(rawValue: "tga")
  /// Apple icon.
  public static let icns = ImageType(rawValue: "icns")
  /// Photoshop document.
  public static let psd = ImageType(rawValue: "psd")
  /// Ozu's own format: lossless pixels for the disk cache. Not meant for other programs.
  public static let ozuDelta = ImageType(rawValue: "ozu-delta")
  /// A `Label` as a document, which is drawn where drawings are (`LabelDocument`).
  package static let label = ImageType(rawValue: "label")

  /// The usual file extension of this type, without the dot.
  public var fileExtension: String { ImageFormat.of(self).endings.first ?? rawValue }

  /// The name of the type in messages: `JPEG`.
  public var displayName: String { ImageFormat.of(self).name }

  /// The media type, for example `image/jpeg`.
  public var mediaType: String { ImageFormat.of(self).mediaTypes.first ?? "image/\(rawValue)" }
}

extension ImageType: CustomStringConvertible {
  /// The short name.
  public var description: String { rawValue }
}
