import Foundation
import OzuHTTP

/// Functions of a pipeline for the image service.
extension ImagePipeline {
  /// The key under which the file of a request is stored, the same on every machine. Machines use it to agree which
  /// one makes the file.
  package func storeKey(for request: ImageRequest, as format: OutputFormat) -> ImageStoreKey {
    ImageStoreKey(.encoded, EncodingGoal(keyed(request), format).key)
  }

  /// A request for a file with its computed key; for repeated requests for the same file.
  package struct FileRequest: Sendable {
    fileprivate let goal: EncodingGoal

    /// The key under which the file is stored, as of `storeKey(for:as:)`.
    package var storeKey: ImageStoreKey { ImageStoreKey(.encoded, goal.key) }
  }

  /// The request for the file of an image. It can be kept: if it is out of date, `cachedEncoded` finds nothing.
  package func fileRequest(for request: ImageRequest, as format: OutputFormat) -> FileRequest {
    FileRequest(goal: EncodingGoal(keyed(request), format))
  }

  /// The same as `cachedEncoded(for:as:)`, without computing the key.
  package func cachedEncoded(_ request: FileRequest) -> EncodedImage? { encodedInMemory(request.goal) }

  /// The state of a source's bytes.
  package struct SourceState: Sendable {
    /// The identity of the bytes, the same on every machine.
    package let identity: String
    /// The time until which the origin need not be asked again.
    package let freshUntil: Date
  }

  /// The state of a source's bytes. The source is loaded as by a request, without decoding, and the bytes are kept
  /// for a load that may follow. `nil` if the origin forbids storing, and for sources that are not from the web.
  ///
  /// - Throws: `ImageError`.
  package func sourceState(of request: ImageRequest) async throws(ImageError) -> SourceState? {
    try request.validate()
    try configuration.check(request.source)
    let request = request.keyed(by: configuration.caching.cacheKeyRules)
    let fetch = try await fetch(request, urgency: DataUrgency(request.priority))
    let fetched = try fetch.outcome.get()
    guard fetched.allowsStoring else { return nil }
    await storeIfPicture(fetched, for: request, fetch.epoch)
    guard let validity = fetched.validity, !validity.bodyIdentity.isEmpty else { return nil }
    return SourceState(identity: validity.bodyIdentity, freshUntil: validity.freshUntil)
  }

  /// Returns when all files made so far have been written to every store, or after 10 seconds.
  package func storesSettled() async {
    // Writes happen in order, so waiting for this one is enough. Waiting for an empty backlog might never end while
    // others are added.
    await withCheckedContinuation { turn in context.backlog.enqueue { turn.resume() } }
    await caches.flushFurther(sleep: configuration.testing.sleep)
  }
}
