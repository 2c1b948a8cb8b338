#if canImport(Darwin)
  import Foundation
  import OzuBase

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  /// Passes each call of the session to its transfer.
  final class URLSessionTransferDelegate: NSObject, URLSessionDataDelegate {
    private struct State {
      var transfers: [Int: URLSessionTransfer] = [:]
      var isRefusing = false
    }

    /// Open when the session has ended.
    let invalidated = AsyncLatch()
    private let state = Mutex(State())
    private let challenge: URLSessionClient.ChallengeHandler?
    private let handlesCookies: Bool

    /// - Parameter handlesCookies: whether the session has a cookie storage.
    init(_ challenge: URLSessionClient.ChallengeHandler?, handlesCookies: Bool) {
      self.challenge = challenge
      self.handlesCookies = handlesCookies
    }

    /// Makes a suspended task. Nil if the session is ending, because it would raise an exception.
    func begin(
      _ request: HTTPRequest, into sink: any HTTPBodySink, on session: URLSession, hostRule: HTTPHostRule
    ) -> URLSessionTransfer? {
      state.withLock { state in
        guard !state.isRefusing else { return nil }
        let transfer = URLSessionTransfer(
          request, into: sink,
          task: session.dataTask(with: URLRequest(request, handlesCookies: handlesCookies)),
          delegateQueue: session.delegateQueue, hostRule: hostRule)
        state.transfers[transfer.task.taskIdentifier] = transfer
        return transfer
      }
    }

    /// Makes `begin` return nil from now on.
    func refuseNew() {
      state.withLock { $0.isRefusing = true }
    }

    private func transfer(_ task: URLSessionTask) -> URLSessionTransfer? {
      state.withLock { $0.transfers[task.taskIdentifier] }
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
      newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
      completionHandler(transfer(task)?.redirected(by: response))
    }

    // Also for challenges of the whole session, such as that for the server's certificate: without the delegate's method for those,
    // the session calls this one, and with the task.
    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive question: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      guard let challenge else { return completionHandler(.performDefaultHandling, nil) }
      let transfer = transfer(task)
      // The app's code, on its own executor: the session's queue does not wait for it.
      Task {
        let (disposition, credential) = await challenge(question)
        if disposition == .cancelAuthenticationChallenge { transfer?.noteRefusal() }
        completionHandler(disposition, credential)
      }
    }

    func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
      completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
      completionHandler(transfer(dataTask)?.began(response) == true ? .allow : .cancel)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      transfer(dataTask)?.received(data)
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
      transfer(task)?.measured(metrics)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      let transfer = state.withLock { $0.transfers.removeValue(forKey: task.taskIdentifier) }
      transfer?.completed(error)
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
      invalidated.open()
    }
  }
#endif
