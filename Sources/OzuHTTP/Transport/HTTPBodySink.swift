import OzuSynchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Receives a response as it arrives: once the head, then the body's pieces in order.
///
/// All calls come from the transport's thread, one after another, and end before `HTTPClient.send` returns.
/// They hold up every other transfer of the client while they run, so they copy or hand on and return.
public protocol HTTPBodySink: Sendable {
  /// Takes the head of the final response; a redirect that is followed is not shown.
  ///
  /// - Throws: to refuse the body; the connection is dropped and `send` throws the same error.
  func begin(_ head: HTTPResponseHead) throws(HTTPError)

  /// Takes the next bytes of the body, after content decoding. They are valid during the call only.
  ///
  /// - Throws: to refuse the rest; the connection is dropped and `send` throws the same error.
  func append(_ bytes: RawSpan) throws(HTTPError)
}

extension HTTPBodySink {
  /// Accepts every head.
  public func begin(_ head: HTTPResponseHead) throws(HTTPError) {}
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
