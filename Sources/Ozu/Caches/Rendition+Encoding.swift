import OzuCodecs

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension ImageCaches.Rendition {
  /// The file of a finished picture: JPEG when it is opaque, which is small; lossless delta planes when it is not,
  /// which are a third of PNG to read and a tenth to write. A registry without those gets PNG.
  static func encoded(
    _ bitmap: Bitmap, by configuration: ImagePipeline.Configuration
  ) throws(EncodingError) -> Data {
    let codecs = configuration.codecs
    let lossless: ImageType = codecs.encodableTypes.contains(.ozuDelta) ? .ozuDelta : .png
    return try codecs.encode(
      bitmap, as: bitmap.isOpaque ? .jpeg : lossless,
      options: EncodingOptions(compressionQuality: configuration.renditionQuality))
  }
}
