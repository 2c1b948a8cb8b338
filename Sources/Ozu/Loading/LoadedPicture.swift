import OzuHTTP

/// What a load brought, shared by every request that wants it.
struct LoadedPicture: Sendable {
  let picture: Picture
  let source: ImageResponse.Source
  var encodedByteCount = 0
  let timings: StageTimings
  let verdict: ImageResponse.Verdict
  var renditionMiss: ImageResponse.RenditionMiss?
}

/// The end of a load, shared by every task that waited for it: one object, so that ten thousand of them copy nothing.
final class FinishedLoad: Sendable {
  let loaded: LoadedPicture
  let end: JobInstant

  init(_ loaded: LoadedPicture, at end: JobInstant) {
    self.loaded = loaded
    self.end = end
  }

  /// The answer to one of those who waited.
  ///
  /// - Parameter start: when it began to wait.
  func response(
    to request: ImageRequest, since start: JobInstant, isCoalesced: Bool
  ) -> ImageResponse {
    ImageResponse(
      picture: loaded.picture.at(scale: request), request: request, source: loaded.source,
      isCoalesced: isCoalesced, encodedByteCount: loaded.encodedByteCount, timings: loaded.timings,
      // Who came in the last moment has not waited at all.
      total: max(.zero, start.duration(to: end)), verdict: loaded.verdict,
      renditionMiss: loaded.renditionMiss)
  }
}
