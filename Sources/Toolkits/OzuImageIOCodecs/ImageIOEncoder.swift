#if canImport(ImageIO)
  import Foundation
  import ImageIO
  import OzuCodecs
  import OzuImaging

  /// Writes one format through ImageIO.
  public struct ImageIOEncoder: ImageEncoding {
    /// The format.
    public let type: ImageType

    /// Makes an encoder of a format. If the system cannot write the format, `encode` fails.
    public init(_ type: ImageType) {
      self.type = type
    }

    /// True for all formats but JPEG.
    public var keepsAlpha: Bool { type != .jpeg }

    /// True for JPEG, HEIC, AVIF and JPEG XL.
    public var hasQuality: Bool { [.jpeg, .heic, .avif, .jxl].contains(type) }

    /// Encodes a bitmap. If its colours are not sRGB, the file gets the profile of their colour space. The quality is a
    /// number on ImageIO's own scale, which nobody has compared with `QualityScale`.
    ///
    /// - Throws: `unsupportedType`, `failed`.
    public func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(ImageEncodingError) -> Data {
      guard let name = type.uniformTypeIdentifier else { throw .unsupportedType(type) }
      let data = NSMutableData()
      let destination = CGImageDestinationCreateWithData(
        data.coreFoundation, name.coreFoundation, 1, nil)
      guard let destination else { throw .unsupportedType(type) }
      guard
        let image = (keepsAlpha || bitmap.isOpaque ? bitmap : bitmap.overWhite())
          .cgImage
      else {
        throw .failed(type, reason: "the system does not accept the pixels")
      }
      let quality = options.quality(for: type)
      let properties: [CFString: Any] = [
        kCGImageDestinationLossyCompressionQuality: options.isLossless ? 1 : quality
      ]
      CGImageDestinationAddImage(destination, image, properties.coreFoundation)
      guard CGImageDestinationFinalize(destination) else {
        throw .failed(type, reason: "the system did not finish it")
      }
      return Data(referencing: data)
    }
  }
#endif
