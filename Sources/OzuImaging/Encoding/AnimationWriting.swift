#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// An animation that is being written, frame by frame.
///
/// Frames are whole canvases, in the order in which they are seen. The writer finds out what changed, and holds two canvases
/// at most and what it has written. Calls come one at a time, from any thread.
public protocol AnimationWriting: AnyObject {
  /// The bytes of the file so far, as far as the writer knows them: libwebp counts at the end.
  var byteCount: Int { get }

  /// Adds a frame. One that looks like the frame before it may become a longer time of that frame.
  ///
  /// - Parameters:
  ///   - frame: of the size of the canvas, in any format.
  ///   - duration: how long it is seen; rounded to the units of the format so that the sum does not drift, and at most what
  ///     the format can say. Below zero counts as zero.
  /// - Throws: `failed`, for a frame of another size and after `finish` too. The writer is of no use afterwards.
  func append(_ frame: Bitmap, duration: Duration) throws(EncodingError)

  /// Ends the file and hands it over.
  ///
  /// - Throws: `failed`, without frames and for a second call too.
  func finish() throws(EncodingError) -> Data
}
