import Foundation

/// Decodes previews of a picture whose file is still arriving.
///
/// `append` may be called from any thread and returns at once. `preview` works on the calling thread, and uses the
/// bytes that came since its last call.
protocol ProgressiveDecoding: Sendable {
  /// Adds the next bytes of the file.
  func append(_ data: Data)

  /// The picture so far, at the size of the recipe; `nil` if there is nothing new to show.
  ///
  /// - Throws: `DecodingError`, after which it is not called again.
  func preview(context: DecodingContext) throws(DecodingError) -> Picture?
}

extension IncrementalDecoder: ProgressiveDecoding {}
