import Foundation
import OzuHTTP

/// What a server asks of a pipeline beside the files themselves.
extension ImagePipeline {
  /// The key under which the file of a request is stored, the same on every machine: what a fleet agrees on who makes it by.
  package func storeKey(for request: ImageRequest, as format: OutputFormat) -> ImageStoreKey {
    ImageStoreKey(.encoded, EncodingGoal(keyed(request), format).key)
  }

  /// A file that is asked for, with its key worked out: for one who asks for the same file again and again.
  package struct FileQuestion: Sendable {
    fileprivate let goal: EncodingGoal

    /// The key under which the file is stored: that of `storeKey(for:as:)`.
    package var storeKey: ImageStoreKey { ImageStoreKey(.encoded, goal.key) }
  }

  /// The question for the file of a request. It can be kept: where it is outdated, `cachedEncoded` finds nothing.
  package func fileQuestion(for request: ImageRequest, as format: OutputFormat) -> FileQuestion {
    FileQuestion(goal: EncodingGoal(keyed(request), format))
  }

  /// The same as `cachedEncoded(for:as:)`, without working out the key.
  package func cachedEncoded(_ question: FileQuestion) -> EncodedImage? { encodedInMemory(question.goal) }

  /// What the bytes of a source are known by.
  package struct SourceState: Sendable {
    /// Tells them from all others, on every machine.
    package let identity: String
    /// Until when their origin need not be asked again.
    package let freshUntil: Date
  }

  /// What the bytes of a request's source are known by. The source is asked as a load would ask it, and nothing is decoded;
  /// what comes is kept for the load that may follow. `nil` where the origin lets nobody keep it, and for sources that are
  /// not from the web.
  ///
  /// - Throws: `ImageError`.
  package func sourceState(of request: ImageRequest) async throws(ImageError) -> SourceState? {
    try request.validate()
    try configuration.check(request.source)
    let request = request.keyed(by: configuration.caching.cacheKeyRules)
    let fetched = try await fetch(request, urgency: DataUrgency(request.priority))
    guard fetched.allowsStoring else { return nil }
    await storeIfPicture(fetched, for: request)
    guard let validity = fetched.validity, !validity.bodyIdentity.isEmpty else { return nil }
    return SourceState(identity: validity.bodyIdentity, freshUntil: validity.freshUntil)
  }

  /// Returns when what was made so far has been handed to every level of storage, or after 10 seconds.
  package func storesSettled() async {
    // Writes happen in their order. The end of all of them may never come while others are added.
    await withCheckedContinuation { turn in context.backlog.enqueue { turn.resume() } }
    await caches.flushFurther(sleep: configuration.testing.sleep)
  }
}
