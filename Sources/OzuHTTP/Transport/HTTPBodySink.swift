import OzuSynchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Receives a response as it arrives: once the head, then the body's pieces in order.
///
/// All calls come from the transport's thread, one after another, and end before `HTTPClient.send` returns.
/// They hold up every other transfer of the client while they run, so they copy or hand on and return. A sink that
/// cannot keep up does not wait either: it says so by `isReady`, and the origin is held up in its place.
public protocol HTTPBodySink: Sendable {
  /// Takes the head of the final response; a redirect that is followed is not shown.
  ///
  /// - Throws: to refuse the body; the connection is dropped and `send` throws the same error.
  func begin(_ head: HTTPResponseHead) throws(HTTPError)

  /// Takes the next bytes of the body, after content decoding. They are valid during the call only.
  ///
  /// - Throws: to refuse the rest; the connection is dropped and `send` throws the same error.
  func append(_ bytes: RawSpan) throws(HTTPError)

  /// Whether the next piece may come. Asked between pieces.
  ///
  /// After false the transport reads no more of this response, so that the origin is slowed by the flow control of
  /// the connection, until `resumption` is told to go on; then it asks again. Meanwhile the limits on silence and
  /// on speed do not run; that on the whole exchange does.
  ///
  /// - Parameter resumption: to be kept after false, and told once, from any thread, when there is room. It may
  ///   be told before this call returns.
  func isReady(_ resumption: HTTPBodyResumption) -> Bool
}

extension HTTPBodySink {
  /// Accepts every head.
  public func begin(_ head: HTTPResponseHead) throws(HTTPError) {}

  /// Always: the sink is as fast as memory.
  public func isReady(_ resumption: HTTPBodyResumption) -> Bool { true }
}

/// How a sink that was not ready tells the transport to go on.
public struct HTTPBodyResumption: Sendable {
  private let target: any HTTPBodyResuming

  /// Makes one that calls a closure; for clients.
  public init(_ resume: @escaping @Sendable () -> Void) {
    target = ResumingClosure(resume)
  }

  /// A transfer that resumes itself: nothing is allocated each time a sink is asked.
  init(_ target: any HTTPBodyResuming) {
    self.target = target
  }

  /// Has the transport go on. Nothing happens if the exchange is over, or was not held up.
  public func resume() {
    target.resumeBody()
  }
}

/// What a transport's transfer does when its sink has room again. Called on any thread.
protocol HTTPBodyResuming: AnyObject, Sendable {
  func resumeBody()
}

private final class ResumingClosure: HTTPBodyResuming {
  private let resume: @Sendable () -> Void

  init(_ resume: @escaping @Sendable () -> Void) {
    self.resume = resume
  }

  func resumeBody() { resume() }
}

/// Collects a body in memory.
public final class DataSink: HTTPBodySink {
  private let data = Mutex(Data())
  private let maximumReservation: Int

  /// Makes an empty sink.
  ///
  /// - Parameter maximumReservation: how many bytes an announced length may reserve at once, before any of
  ///   them has arrived. 16 MB.
  public init(maximumReservation: Int = 16 << 20) {
    self.maximumReservation = maximumReservation
  }

  /// Reserves memory for the announced length.
  public func begin(_ head: HTTPResponseHead) throws(HTTPError) {
    guard let expected = head.expectedByteCount, expected > 0 else { return }
    data.withLock { $0.reserveCapacity(min(expected, maximumReservation)) }
  }

  /// Appends a copy of the bytes.
  public func append(_ bytes: RawSpan) throws(HTTPError) {
    bytes.withUnsafeBytes { buffer in
      guard let start = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
      data.withLock { $0.append(start, count: buffer.count) }
    }
  }

  /// How many bytes have arrived.
  public var byteCount: Int { data.withLock { $0.count } }

  /// Returns what has arrived and leaves the sink empty.
  public func takeData() -> Data {
    data.withLock { stored in
      let taken = stored
      stored = Data()
      return taken
    }
  }
}
