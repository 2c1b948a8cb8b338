import OzuBase

/// Receives a response as it arrives: the head once, then the pieces of the body in order.
///
/// All calls come from the transport's thread, one after another, and end before `HTTPClient.send` returns. They
/// delay every other transfer of the client, so they must only copy the bytes or pass them on. A slow sink does not
/// wait either: `isReady` returns false, and the origin is slowed down.
public protocol HTTPBodySink: Sendable {
  /// Takes the head of the final response. The heads of redirects that are followed are not passed.
  ///
  /// - Throws: to refuse the body; then the connection is closed and `send` throws the same error.
  func begin(_ head: HTTPResponseHead) throws(HTTPError)

  /// Takes the next bytes of the body, after content decoding. They are valid only during the call.
  ///
  /// - Throws: to refuse the rest; then the connection is closed and `send` throws the same error.
  func append(_ bytes: RawSpan) throws(HTTPError)

  /// Whether the sink is ready for the next piece. Called between pieces.
  ///
  /// After false, the transport stops reading this response until `resumption` is resumed, and then asks again. The
  /// flow control of the connection slows the origin down. Meanwhile the limits on silence and on speed do not run;
  /// the limit on the whole exchange does.
  ///
  /// - Parameter resumption: to be kept after false, and resumed once, from any thread, when there is room. It may
  ///   be resumed before this call returns.
  func isReady(_ resumption: HTTPBodyResumption) -> Bool
}

extension HTTPBodySink {
  /// Accepts every head.
  public func begin(_ head: HTTPResponseHead) throws(HTTPError) {}

  /// Returns true: the sink is as fast as memory.
  public func isReady(_ resumption: HTTPBodyResumption) -> Bool { true }
}

/// Lets a sink that was not ready resume its transfer.
public struct HTTPBodyResumption: Sendable {
  private let target: any HTTPBodyResuming

  /// Makes a resumption that calls a closure; for clients.
  public init(_ resume: @escaping @Sendable () -> Void) {
    target = ResumingClosure(resume)
  }

  /// Makes a resumption of a transfer, so that nothing is allocated for each call of `isReady`.
  init(_ target: any HTTPBodyResuming) {
    self.target = target
  }

  /// Resumes the transfer. Has no effect if the exchange has ended or was not paused.
  public func resume() {
    target.resumeBody()
  }
}

/// A transfer that can be resumed when its sink has room again. Called on any thread.
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
  /// - Parameter maximumReservation: the most bytes that an announced length may reserve before any byte has
  ///   arrived. Default: 16 MB.
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

  /// The number of bytes that have arrived.
  public var byteCount: Int { data.withLock { $0.count } }

  /// Returns the bytes that have arrived, and empties the sink.
  public func takeData() -> Data {
    data.withLock { stored in
      let taken = stored
      stored = Data()
      return taken
    }
  }
}

extension HTTPBodySink {
  /// Waits until the sink is ready for the next piece. For clients that bring a body from a task of their own.
  ///
  /// - Throws: `HTTPError.Reason.cancelled` at once if the task is cancelled.
  public func untilReady() async throws(HTTPError) {
    while true {
      guard !Task.isCancelled else { throw HTTPError(.cancelled) }
      let latch = AsyncLatch()
      if isReady(HTTPBodyResumption { latch.open() }) { return }
      await withTaskCancellationHandler {
        await latch.wait()
      } onCancel: {
        latch.open()
      }
    }
  }
}
