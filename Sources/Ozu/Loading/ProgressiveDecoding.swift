import Foundation

/// Shows pictures whose files are still coming.
///
/// `append` may be called from any thread and returns at once; `preview` works on the thread that calls it, for the bytes
/// that came since the last call.
protocol ProgressiveDecoding: Sendable {
  /// Takes the next bytes of the file.
  func append(_ data: Data)

  /// The picture so far, of the size of the recipe; `nil` when there is nothing new to be seen.
  ///
  /// - Throws: `DecodingError`, after which it is not called again.
  func preview(context: DecodingContext) throws(DecodingError) -> Picture?
}

extension IncrementalDecoder: ProgressiveDecoding {}
