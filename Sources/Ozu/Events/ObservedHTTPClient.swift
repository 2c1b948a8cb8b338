import OzuHTTP

/// Counts the exchanges that are really made, and tells when they begin and end: what the HTTP cache answers does
/// not come here, what it validates or tries again does.
struct ObservedHTTPClient: HTTPClient {
  let client: any HTTPClient
  let events: PipelineEvents

  func send(
    _ request: HTTPRequest, into sink: any HTTPBodySink
  ) async throws(HTTPError) -> HTTPResponse {
    let stage = events.stageBegan(.network, of: ImageSource.url(request.url).name)
    events.counters.networkLoads.increment()
    do throws(HTTPError) {
      let response = try await client.send(request, into: sink)
      events.counters.downloadedByteCount.wrappingAdd(response.bodyByteCount, ordering: .relaxed)
      events.stageEnded(stage, byteCount: response.bodyByteCount)
      return response
    } catch {
      if error.reason != .cancelled { events.counters.networkFailures.increment() }
      events.stageEnded(stage)
      throw error
    }
  }
}
