import OzuHTTP

/// Counts and reports the actual HTTP exchanges. Answers of the HTTP cache do not come here; its revalidations and
/// retries do.
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
