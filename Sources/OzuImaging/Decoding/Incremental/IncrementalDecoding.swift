#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A decoder that can show a picture of whose file only the beginning is there.
///
/// People use it through `IncrementalDecoder`, which has the bytes, the limits and the recipe; this is what a format
/// has to do for that.
public protocol IncrementalDecoding: ImageDecoding {
  /// Reads the header from the first bytes of a file.
  ///
  /// By default `header(of:limits:)`, where `truncated` means that it is not all there.
  ///
  /// - Returns: `nil` when more bytes are needed. What follows the pixels in the file, as the frames of an animation
  ///   do, is not in the header yet.
  /// - Throws: `DecodingError`.
  func header(ofPrefix data: Data, limits: DecodingLimits) throws(DecodingError) -> ImageHeader?

  /// Begins a picture whose header is there and within the limits.
  ///
  /// - Parameter data: the bytes so far, with at least the header.
  /// - Returns: `nil` for a file that can only be decoded when it is whole.
  /// - Throws: `DecodingError`; `limitExceeded` when what the session keeps takes too much.
  func incrementalSession(
    of data: Data, header: ImageHeader, plan: DecodePlan, context: DecodingContext
  ) throws(DecodingError) -> (any IncrementalSession)?
}

extension IncrementalDecoding {
  /// The header, unless it is cut off.
  public func header(ofPrefix data: Data, limits: DecodingLimits) throws(DecodingError) -> ImageHeader? {
    do throws(DecodingError) {
      return try header(of: data, limits: limits)
    } catch .truncated {
      return nil
    }
  }
}

/// One file being decoded while it comes.
///
/// Calls come one at a time, from any thread.
public protocol IncrementalSession: AnyObject, Sendable {
  /// Decodes on, as far as the bytes reach, and shows what is there.
  ///
  /// After `cancelled` the session can go on; after another error it is not called again.
  ///
  /// - Parameter data: the file from its beginning: the bytes of the call before, and more.
  /// - Returns: the picture so far, as stored, of exactly the plan's `decodedSize` and transparent where there is
  ///   nothing yet; `nil` when it would look as at the call before.
  /// - Throws: `DecodingError`.
  func preview(of data: Data, context: DecodingContext) throws(DecodingError) -> Bitmap?
}
