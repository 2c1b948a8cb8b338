import Foundation
import OzuStandardCodecs

/// What of a load is kept on disk.
///
/// Local files, `data:` addresses and bytes that come with a request are never copied as originals. HTTP has the
/// last word: what an origin forbids to keep is not kept under any policy.
public enum StoragePolicy: String, Hashable, Sendable, CaseIterable {
  /// The original, and each finished picture that would cost more to make again than to read. The default.
  ///
  /// A finished picture that is its original pixel for pixel is kept once, as the original.
  case automatic
  /// The original alone. Every size is made from it anew: the least space for many sizes of one picture.
  case originalData = "original-data"
  /// The finished picture alone, encoded anew. The least space for one small size of large originals; another size
  /// is loaded again, or made from a larger one. A stale picture is validated by loading its original.
  case encodedImages = "encoded-images"
  /// Both, also where they are the same pixels.
  case all

  var storesOriginals: Bool { self != .encodedImages }
  var storesRenditions: Bool { self != .originalData }
}

/// How a finished picture is written to the disk cache.
public struct RenditionEncoding: Hashable, Sendable {
  /// The format.
  public var type: ImageType
  /// Quality and the like.
  public var options: EncodingOptions

  /// Makes a choice.
  public init(_ type: ImageType, options: EncodingOptions = EncodingOptions()) {
    self.type = type
    self.options = options
  }

  /// JPEG for opaque pictures, which is small; lossless delta planes for others, which are a third of PNG to read and a
  /// tenth to write. Registries without those, deeper pixels, and pictures of high dynamic range get PNG.
  public static func standard(
    for picture: Picture, quality: Double = 0.85, codecs: CodecRegistry = .standard
  ) -> RenditionEncoding {
    let isDelta = picture.bitmap.format == .bgra8 && codecs.encodableTypes.contains(.ozuDelta)
    let lossless: ImageType = isDelta ? .ozuDelta : .png
    if case .coded = picture.bitmap.colorSpace {
      return RenditionEncoding(.png, options: EncodingOptions(effort: .low))
    }
    return RenditionEncoding(
      picture.bitmap.isOpaque ? .jpeg : lossless, options: EncodingOptions(compressionQuality: quality))
  }
}

extension ImagePipeline.Configuration {
  /// How a picture is written; `nil` when it is not.
  func encoding(of picture: Picture, for request: ImageRequest) -> RenditionEncoding? {
    guard let renditionEncoding else {
      return .standard(
        for: picture, quality: request.format?.compressionQuality ?? renditionQuality, codecs: codecs)
    }
    return renditionEncoding(picture, request)
  }

  /// A picture as it is kept on disk. `nil` when it is not, or cannot be: nothing is lost, the next request renders
  /// again.
  func encodedRendition(of picture: Picture, for request: ImageRequest) -> Data? {
    encoding(of: picture, for: request).flatMap {
      try? codecs.encode(picture, as: $0.type, options: $0.options)
    }
  }
}
