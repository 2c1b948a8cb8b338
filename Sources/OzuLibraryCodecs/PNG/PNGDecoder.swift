import OzuCodecs
import OzuImaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Decodes PNG: every colour type and depth, interlaced or not, animated; the picture of an animation is the still
/// one that stands for it.
///
/// Whole files of 8 bits that are not interlaced are read by `PNGRowReader`, row by row and averaged on the way where
/// the result is small; all others, and what is wrong with any, are for libpng.
///
/// Pixels are brought to 8 bits (of 16, the high byte), unless the context asks for what is stored, and keep their values: gamma and profile are not
/// applied. Chunks that pixels do not need are never inflated.
public struct PNGDecoder: ImageDecoding {
  let alpha: Alpha

  /// Makes a decoder.
  public init() {
    alpha = .premultiplied
  }

  package init(alpha: Alpha) {
    self.alpha = alpha
  }

  /// PNG.
  public var types: [ImageType] { [.png] }

  /// Opens a file: steps through its chunks.
  ///
  /// - Throws: `corrupt`, `truncated`.
  /// - Complexity: O(chunks).
  public func open(_ data: Data, limits: DecodingLimits) throws(DecodingError) -> any ImageFile {
    PNGFile(data, try PNGHeader(data.span), alpha: alpha)
  }

  /// Opens a file whose chunks before the pixels are all there.
  ///
  /// Of an animation the number of frames is not known yet. An orientation that stands behind the pixels, as some
  /// writers have it, comes too late for previews.
  ///
  /// - Throws: `corrupt`.
  public func open(beginning data: Data, limits: DecodingLimits) throws(DecodingError) -> PartialFile {
    guard PNGChunk.imageDataOffset(in: data.span) != nil else { return .tooShort }
    return .opened(try open(data, limits: limits))
  }
}
