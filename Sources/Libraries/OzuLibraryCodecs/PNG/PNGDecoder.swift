import OzuBase
import OzuCodecs
import OzuImaging

/// Decodes PNG: every colour type and depth, interlaced or not, animated. The picture of an animation is its
/// default image.
///
/// Complete files that are not interlaced are read by `PNGRowReader`, row by row, and averaged on the way
/// if the result is small. libpng decodes all others, and reports the errors of broken files.
///
/// Pixels are reduced to 8 bits (of 16, the high byte) unless the context asks for pixels as stored. Gamma and
/// profile are not applied here. Chunks that the pixels do not need are never inflated.
public struct PNGDecoder: ImageDecoding {
  /// Makes a decoder.
  public init() {}

  /// PNG.
  public var types: [ImageType] { [.png] }

  /// Opens a file: reads the structure of its chunks.
  ///
  /// - Throws: `corrupt`, `truncated`.
  /// - Complexity: O(chunks).
  public func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any ImageFile {
    PNGFile(data, try PNGHeader(data.span))
  }

  /// Opens a file whose chunks before the pixels are complete.
  ///
  /// The number of frames of an animation is not known yet. An orientation after the pixels, as some writers store
  /// it, comes too late for previews.
  ///
  /// - Throws: `corrupt`.
  public func open(beginning data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> PartialFile {
    guard PNGChunk.imageDataOffset(in: data.span) != nil else { return .tooShort }
    return .opened(try open(data, limits: limits))
  }
}
