import OzuHTTP

/// A client whose exchanges take turns in the pipeline's slots, the most urgent first; what a cache can answer
/// without the network needs none.
struct SlottedHTTPClient: HTTPClient {
  let client: any HTTPClient
  let slots: Slots

  /// The urgency of the job on whose behalf the HTTP cache asks: it may change while a slot is waited for, which the
  /// request's own level cannot.
  @TaskLocal static var urgency: LivePriority?
  /// What that job is doing, for who asks.
  @TaskLocal static var activity: JobActivity?
  /// Where the bytes can be seen while they come.
  @TaskLocal static var tap: BodyTap?

  func send(
    _ request: HTTPRequest, into sink: any HTTPBodySink
  ) async throws(HTTPError) -> HTTPResponse {
    let activity = Self.activity
    let sink = Self.tap.map { TappedSink(sink: sink, tap: $0) } ?? sink
    let priority = Self.urgency ?? .fixed(ImagePriority(rawValue: request.priority.rawValue) ?? .normal)
    let outcome = await slots.run(priority: priority, activity: activity) {
      () -> Result<HTTPResponse, HTTPError> in
      activity?.enter(.network)
      var request = request
      request.priority = priority.transport
      // It may change while the request waits for a connection, too.
      if case .changing(let cell) = priority { request.livePriority = HTTPLivePriority(cell) }
      do throws(HTTPError) {
        return .success(try await client.send(request, into: sink))
      } catch {
        return .failure(error)
      }
    }
    guard let outcome else { throw HTTPError(.cancelled, url: request.url) }
    return try outcome.get()
  }
}
