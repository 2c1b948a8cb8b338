import OzuBase

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Takes a limited number of bytes of a body and then refuses the rest, which ends the transfer.
struct BodyPrefixSink: HTTPBodySink {
  /// The bytes of the last response. One lock guards them: the transport writes, and the exchange reads afterwards.
  final class Account: Sendable {
    private struct State {
      var head: HTTPResponseHead?
      var body = Data()
      var isCutOff = false
    }

    fileprivate let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = limit }

    /// The head and the first bytes of a response that was longer; nil for one that was not cut off.
    var cutOff: (head: HTTPResponseHead, body: Data)? {
      state.withLock { state in state.isCutOff ? state.head.map { ($0, state.body) } : nil }
    }

    fileprivate func begin(_ head: HTTPResponseHead) {
      state.withLock { $0 = State(head: head) }
    }

    /// - Returns: whether all of the bytes fitted.
    fileprivate func append(_ bytes: RawSpan) -> Bool {
      state.withLock { state in
        let count = min(bytes.byteCount, limit - state.body.count)
        bytes.withUnsafeBytes { state.body.append(contentsOf: $0.prefix(count)) }
        state.isCutOff = count < bytes.byteCount
        return !state.isCutOff
      }
    }
  }

  let sink: any HTTPBodySink
  let account: Account

  func begin(_ head: HTTPResponseHead) throws(HTTPError) {
    account.begin(head)
    try sink.begin(head)
  }

  func append(_ bytes: RawSpan) throws(HTTPError) {
    guard account.append(bytes) else { throw HTTPError(.refused("no more of it is needed")) }
    try sink.append(bytes)
  }

  func isReady(_ resumption: HTTPBodyResumption) -> Bool { sink.isReady(resumption) }
}

/// A client that stops each transfer when the account is full.
struct BodyPrefixClient: HTTPClient {
  let client: any HTTPClient
  let account: BodyPrefixSink.Account

  func send(_ request: HTTPRequest, into sink: any HTTPBodySink) async throws(HTTPError) -> HTTPResponse {
    try await client.send(request, into: BodyPrefixSink(sink: sink, account: account))
  }
}
