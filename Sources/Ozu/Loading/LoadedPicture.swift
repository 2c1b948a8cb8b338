import OzuHTTP

/// The result of a load, shared by all requests that wait for it.
struct LoadedPicture: Sendable {
  let picture: Picture
  let source: ImageResponse.Source
  var encodedByteCount = 0
  let timings: StageTimings
  let verdict: ImageResponse.Verdict
  var renditionMiss: ImageResponse.RenditionMiss?
}

/// The end of a load, shared by all tasks that waited for it. An object, so that ten thousand tasks copy nothing.
final class FinishedLoad: Sendable {
  let loaded: LoadedPicture
  let end: JobInstant

  init(_ loaded: LoadedPicture, at end: JobInstant) {
    self.loaded = loaded
    self.end = end
  }

  /// The response for one of the tasks.
  ///
  /// - Parameter start: when the task began to wait.
  func response(
    to request: ImageRequest, since start: JobInstant, isCoalesced: Bool
  ) -> ImageResponse {
    ImageResponse(
      picture: loaded.picture.at(scale: request), request: request, source: loaded.source,
      isCoalesced: isCoalesced, encodedByteCount: loaded.encodedByteCount, timings: loaded.timings,
      // A task that joined at the last moment may have started after the end.
      total: max(.zero, start.duration(to: end)), verdict: loaded.verdict,
      renditionMiss: loaded.renditionMiss)
  }
}
