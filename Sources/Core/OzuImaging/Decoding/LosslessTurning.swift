#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A decoder that can turn files without decoding their pixels.
package protocol LosslessTurning: ImageDecoding {
  /// Stores the picture of a file upright, without loss. The orientation that the file states stays.
  ///
  /// - Throws: `ImageDecodingError`; `unsupportedType` if the picture cannot be turned in this way.
  func turned(
    _ data: Data, from orientation: Orientation, limits: DecodingLimits
  ) throws(ImageDecodingError) -> Data
}
