#if canImport(Darwin)
  import Foundation
  import OzuBase

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  /// One request in progress in a `URLSession`.
  ///
  /// Unchecked Sendable: the mutable fields belong to the session's serial delegate queue; `state`, which the
  /// caller's task and the queue both use, has a lock. A sink that is not ready suspends the task, which then stops
  /// reading. The resumption and the checks of the minimum speed run on the delegate queue.
  final class URLSessionTransfer: @unchecked Sendable {
    typealias Outcome = Result<HTTPResponse, HTTPError>

    private enum State {
      case running
      case awaited(CheckedContinuation<Outcome, Never>)
      case done(Outcome)
    }

    let task: URLSessionDataTask
    private let sink: any HTTPBodySink
    private let delegateQueue: OperationQueue
    private let hostRule: HTTPHostRule
    private let totalLimit: Duration
    private let state = Mutex(State.running)
    private let isOverdue = Atomic(false)
    private let isRefused = Atomic(false)

    private var hop: HTTPRequest
    private var head: HTTPResponseHead?
    private var metrics = HTTPMetrics()
    private var redirectCount = 0
    private var bodyByteCount = 0
    private var expectedByteCount: Int?
    private var failure: HTTPError?
    private var timing: TransferTiming
    private let clock = ContinuousClock()

    init(
      _ request: HTTPRequest, into sink: any HTTPBodySink, task: URLSessionDataTask,
      delegateQueue: OperationQueue, hostRule: HTTPHostRule
    ) {
      hop = request
      self.delegateQueue = delegateQueue
      self.hostRule = hostRule
      timing = TransferTiming(limits: request.timeouts)
      totalLimit = request.timeouts.total
      self.sink = sink
      self.task = task
    }

    /// Starts the task and returns its result.
    func run() async -> Outcome {
      let expiry = DispatchWorkItem { [weak self] in
        self?.isOverdue.store(true, ordering: .relaxed)
        self?.task.cancel()
      }
      DispatchQueue.global().asyncAfter(deadline: .now() + totalLimit.boundedSeconds, execute: expiry)
      defer { expiry.cancel() }
      return await withCheckedContinuation { continuation in
        let early: Outcome? = state.withLock { state in
          if case .done(let outcome) = state { return outcome }
          state = .awaited(continuation)
          return nil
        }
        if let early { continuation.resume(returning: early) }
        // Also if it is already cancelled: then the session reports exactly that.
        task.resume()
      }
    }

    // The calls of the session, in order, all on its delegate queue.

    func redirected(by response: HTTPURLResponse) -> URLRequest? {
      let decision = RedirectDecision(
        status: response.statusCode, location: response.value(forHTTPHeaderField: "Location"), of: hop,
        afterRedirects: redirectCount)
      switch decision {
      case .deliver:
        return nil
      case .follow(let next):
        do throws(HTTPError) {
          try hostRule.check(next.url)
        } catch {
          abort(error)
          return nil
        }
        redirectCount += 1
        hop = next
        return URLRequest(next, handlesCookies: task.originalRequest?.httpShouldHandleCookies == true)
      case .refuse(let reason):
        abort(HTTPError(reason))
        return nil
      }
    }

    /// Returns whether the body is needed.
    func began(_ response: URLResponse) -> Bool {
      guard failure == nil else { return false }
      // The session gives each part of a `multipart/x-mixed-replace` as a response of its own, and a sink takes one.
      guard head == nil else {
        abort(HTTPError(.protocolError("the response has several parts")))
        return false
      }
      guard let response = response as? HTTPURLResponse else {
        failure = HTTPError(.protocolError("the response is not HTTP"))
        return false
      }
      let head = HTTPResponseHead(
        status: response.statusCode, headers: HTTPHeaders(response), url: response.url ?? hop.url)
      self.head = head
      do throws(HTTPError) {
        if hop.method != .head, !head.hasNoBody {
          if let length = head.contentLength, length > hop.maximumBodyByteCount {
            throw HTTPError(.bodyTooLarge(limit: hop.maximumBodyByteCount))
          }
          expectedByteCount = head.expectedByteCount
        }
        try sink.begin(head)
        timing.beginHop(at: clock.now)
        timing.beginBody(at: clock.now)
        scheduleSpeedCheck()
        return true
      } catch {
        failure = error
        return false
      }
    }

    func received(_ data: Data) {
      guard failure == nil else { return }
      do throws(HTTPError) {
        guard data.count <= hop.maximumBodyByteCount - bodyByteCount else {
          throw HTTPError(.bodyTooLarge(limit: hop.maximumBodyByteCount))
        }
        // Data may consist of several regions; joining them would copy.
        for region in data.regions { try hand(region) }
        timing.noteBody(byteCount: data.count, at: clock.now)
        if !sink.isReady(HTTPBodyResumption(self)) { hold() }
      } catch {
        abort(error)
      }
    }

    // A suspended task reads nothing, but bytes that were read before may still arrive.
    private func hold() {
      guard !timing.isPaused else { return }
      timing.setPaused(true, at: clock.now)
      task.suspend()
    }

    private func goOn() {
      guard timing.isPaused, sink.isReady(HTTPBodyResumption(self)) else { return }
      timing.setPaused(false, at: clock.now)
      task.resume()
    }

    private func scheduleSpeedCheck() {
      guard let window = hop.timeouts.minimumSpeed?.window else { return }
      let deadline = DispatchTime.now() + max(0.01, window.boundedSeconds)
      DispatchQueue.global().asyncAfter(deadline: deadline) { [weak self] in
        guard let self else { return }
        delegateQueue.addOperation { self.checkSpeed() }
      }
    }

    private func checkSpeed() {
      guard failure == nil, task.state == .running || task.state == .suspended else { return }
      if case .speed(let minimum) = timing.overduePhase(at: clock.now) {
        abort(HTTPError(.timedOut(.speed(bytesPerSecond: minimum))))
      } else {
        scheduleSpeedCheck()
      }
    }

    /// The app has refused a challenge of the server. The system then reports a cancellation, and nobody has cancelled.
    func noteRefusal() {
      isRefused.store(true, ordering: .relaxed)
    }

    func measured(_ taskMetrics: URLSessionTaskMetrics) {
      metrics = HTTPMetrics(taskMetrics, redirectCount: redirectCount)
      head?.version =
        switch taskMetrics.transactionMetrics.last?.networkProtocolName {
        case "h3": .http3
        case "h2": .http2
        case "http/1.0": .http1_0
        default: .http1_1
        }
    }

    func completed(_ error: (any Error)?) {
      let outcome = outcome(error)
      let continuation: CheckedContinuation<Outcome, Never>? = state.withLock { state in
        guard case .awaited(let continuation) = state else {
          state = .done(outcome)
          return nil
        }
        state = .done(outcome)
        return continuation
      }
      continuation?.resume(returning: outcome)
    }

    private func outcome(_ error: (any Error)?) -> Outcome {
      var reason = failure?.reason
      if reason == nil, error != nil, isRefused.load(ordering: .relaxed) {
        reason = .other(
          code: URLError.Code.cancelled.rawValue, message: "the app refused a challenge of the server")
      }
      if reason == nil, let error {
        reason =
          isOverdue.load(ordering: .relaxed)
          ? .timedOut(.total)
          : URLSessionFailure(
            error: error, isHeadComplete: head != nil, bodyByteCount: bodyByteCount,
            expectedByteCount: expectedByteCount
          ).reason
      }
      if reason == nil, let expectedByteCount, expectedByteCount != bodyByteCount {
        reason = .bodyTruncated(received: bodyByteCount, expected: expectedByteCount)
      }
      if let reason { return .failure(HTTPError(reason, url: failure?.url ?? hop.url).naming(hop.timeouts)) }
      guard let head else {
        return .failure(HTTPError(.protocolError("there is no header section"), url: hop.url))
      }
      return .success(HTTPResponse(head: head, bodyByteCount: bodyByteCount, metrics: metrics))
    }

    private func hand(_ region: Data) throws(HTTPError) {
      try sink.append(region.span.bytes)
      bodyByteCount += region.count
    }

    private func abort(_ error: HTTPError) {
      failure = failure ?? error
      task.cancel()
    }
  }

  extension URLSessionTransfer: HTTPBodyResuming {
    func resumeBody() {
      delegateQueue.addOperation { [weak self] in self?.goOn() }
    }
  }
#endif
