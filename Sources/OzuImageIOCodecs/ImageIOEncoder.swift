#if canImport(ImageIO)
  import Foundation
  import ImageIO
  import OzuCodecs
  import OzuImaging

  /// Writes one format through ImageIO.
  public struct ImageIOEncoder: ImageEncoding {
    /// The format.
    public let type: ImageType

    /// Makes an encoder of a format; whether the system writes it shows when it is used.
    public init(_ type: ImageType) {
      self.type = type
    }

    /// All but JPEG have alpha.
    public var keepsAlpha: Bool { type != .jpeg }

    /// Encodes a bitmap. A bitmap in the colours of another space is written with that space's profile.
    ///
    /// - Throws: `unsupportedType`, `failed`.
    public func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(EncodingError) -> Data {
      guard let name = type.uniformTypeIdentifier else { throw .unsupportedType(type) }
      let data = NSMutableData()
      let destination = CGImageDestinationCreateWithData(
        data as CFMutableData, NSString(string: name) as CFString, 1, nil)
      guard let destination else { throw .unsupportedType(type) }
      guard
        let image = (keepsAlpha || bitmap.isOpaque ? bitmap : bitmap.converted(to: .bgra8).overWhite())
          .cgImage
      else {
        throw .failed(type, reason: "the pixels cannot be shown to the system")
      }
      let quality = options.compressionQuality.isNaN ? 0 : min(max(options.compressionQuality, 0), 1)
      let properties = [kCGImageDestinationLossyCompressionQuality: options.isLossless ? 1 : quality]
      CGImageDestinationAddImage(destination, image, ImageIOFile.dictionary(properties))
      guard CGImageDestinationFinalize(destination) else {
        throw .failed(type, reason: "the system did not finish it")
      }
      return Data(referencing: data)
    }
  }

  extension Bitmap {
    /// The pixels blended over white: what a format without alpha can hold.
    fileprivate func overWhite() -> Bitmap {
      Bitmap(size: size, isOpaque: true, colorSpace: colorSpace) { bytes, bytesPerRow in
        withUnsafeBytes { source in
          for y in 0..<size.height {
            for x in 0..<size.width {
              // Inside: rows of both are `bytesPerRow` of their own apart, and four bytes make a pixel.
              let from = y * self.bytesPerRow + x * 4
              let to = y * bytesPerRow + x * 4
              let white = 255 - source[from + 3]
              for channel in 0..<3 { bytes[to + channel] = source[from + channel] &+ white }
              bytes[to + 3] = 255
            }
          }
        }
      }
    }
  }
#endif
