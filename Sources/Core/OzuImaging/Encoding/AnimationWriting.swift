#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// An animation that is being written, frame by frame.
///
/// Frames are whole canvases, in the order in which they are shown. The writer finds the changed area itself, and
/// holds at most two canvases and the bytes that it has written. Calls come one at a time, from any thread.
public protocol AnimationWriting: AnyObject {
  /// The bytes of the file so far, if the writer knows them: libwebp counts only at the end.
  var byteCount: Int { get }

  /// Adds a frame. If it looks like the frame before it, the writer may show that frame longer instead.
  ///
  /// - Parameters:
  ///   - frame: a bitmap with the size of the canvas, in any format.
  ///   - duration: how long the frame is shown. It is rounded to the units of the format so that the sum does not
  ///     drift, and limited to the longest time that the format can store. A negative duration counts as zero.
  /// - Throws: `failed`, also for a frame of another size and after `finish`. The writer must not be used after
  ///   that.
  func append(_ frame: Bitmap, duration: Duration) throws(ImageEncodingError)

  /// Ends the file and returns it.
  ///
  /// - Throws: `failed`, also without frames and for a second call.
  func finish() throws(ImageEncodingError) -> Data
}
