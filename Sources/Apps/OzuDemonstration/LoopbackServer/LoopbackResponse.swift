import OzuBase
import OzuHTTP

/// The answer of a `LoopbackServer`, with the faults that a test wants.
///
/// ```swift
/// .ok(jpeg, type: "image/jpeg")                       // 200 with Content-Length
/// .ok(jpeg).declaring(byteCount: jpeg.count + 100)    // a body that ends early
/// .ok(jpeg).chunked().dripping(1024, through: gate)   // slow, a kilobyte per admission
/// .ok(jpeg).resetting(afterByteCount: 500)            // the connection dies mid-body
/// .status(503, headers: ["Retry-After": "1"])
/// ```
public struct LoopbackResponse: Sendable {
  /// The bytes after the header section.
  public enum Body: Sendable {
    /// These bytes.
    case data(Data)
    /// These bytes over and over until the connection ends.
    case endless(Data)
  }

  /// The way in which the end of the body is marked.
  package enum Framing: Sendable, Hashable {
    /// With a true `Content-Length`.
    case contentLength
    /// With this `Content-Length`, right or wrong. If the body is shorter, the connection closes after it.
    case declared(Int)
    /// In chunks.
    case chunked
    /// By closing the connection.
    case untilClose
  }

  /// The way in which the response ends.
  package enum Ending: Sendable, Hashable {
    /// Properly.
    case complete
    /// The connection closes after this number of bytes of the body.
    case close(afterByteCount: Int)
    /// The connection is reset (RST) after this number of bytes of the body.
    case reset(afterByteCount: Int)
    /// The connection closes, or is reset, instead of an answer.
    case noAnswer(isReset: Bool)
    /// The body is sent as it is, without a header section, and the connection closes: for malformed answers, and for
    /// header sections that drip or never end.
    case verbatim
  }

  /// The status code.
  public var status: Int
  /// The header fields; the server adds only those of the framing.
  public var headers: HTTPHeaders
  /// The bytes after the header section; not sent to `HEAD`.
  public var body: Body
  /// The way in which the end of the body is marked.
  package var framing: Framing
  /// The way in which the response ends.
  package var ending: Ending = .complete
  /// The gate at which the server waits before it writes anything.
  package var headGate: Gate?
  /// The gate at which the server waits before each piece of the body.
  package var bodyGate: Gate?
  /// The number of bytes of one write, and of one chunk.
  package var pieceByteCount = 64 << 10

  /// Makes a response.
  public init(status: Int = 200, headers: HTTPHeaders = [:], body: Data = Data()) {
    self.init(status: status, headers: headers, body: body, framing: .contentLength)
  }

  /// Makes a response whose body ends in a certain way.
  package init(status: Int = 200, headers: HTTPHeaders = [:], body: Data = Data(), framing: Framing) {
    self.status = status
    self.headers = headers
    self.body = .data(body)
    self.framing = framing
  }

  /// 200 with a body.
  public static func ok(_ body: Data, type: String? = nil) -> LoopbackResponse {
    var response = LoopbackResponse(body: body)
    response.headers["Content-Type"] = type
    return response
  }

  /// A status without body.
  public static func status(_ status: Int, headers: HTTPHeaders = [:]) -> LoopbackResponse {
    LoopbackResponse(status: status, headers: headers)
  }

  /// A redirect.
  public static func redirect(to location: String, status: Int = 302) -> LoopbackResponse {
    LoopbackResponse(status: status, headers: ["Location": location])
  }

  /// 200 with a body that never ends.
  public static func endless(repeating piece: Data) -> LoopbackResponse {
    var response = LoopbackResponse(framing: .untilClose)
    response.body = .endless(piece)
    return response
  }

  /// The connection closes, or is reset, instead of an answer.
  public static func noAnswer(isReset: Bool = false) -> LoopbackResponse {
    LoopbackResponse().ending(.noAnswer(isReset: isReset))
  }

  /// These bytes instead of a well-formed response.
  public static func verbatim(_ bytes: Data) -> LoopbackResponse {
    LoopbackResponse(body: bytes).ending(.verbatim)
  }

  /// Adds a header field.
  public func header(_ name: String, _ value: String) -> LoopbackResponse {
    with { $0.headers.add(name: name, value: value) }
  }

  /// Waits at the gate before anything is written.
  public func held(by gate: Gate) -> LoopbackResponse {
    with { $0.headGate = gate }
  }

  /// Writes the body in pieces of that size and waits at the gate before each.
  public func dripping(_ pieceByteCount: Int, through gate: Gate) -> LoopbackResponse {
    with {
      $0.pieceByteCount = max(1, pieceByteCount)
      $0.bodyGate = gate
    }
  }

  /// Sends the body in chunks.
  public func chunked() -> LoopbackResponse {
    with { $0.framing = .chunked }
  }

  /// Announces that the body has this number of bytes, right or wrong.
  public func declaring(byteCount: Int) -> LoopbackResponse {
    with { $0.framing = .declared(byteCount) }
  }

  /// Sends no length; the body ends with the connection.
  public func withoutLength() -> LoopbackResponse {
    with { $0.framing = .untilClose }
  }

  /// Closes the connection after this number of bytes of the body.
  public func closing(afterByteCount count: Int) -> LoopbackResponse {
    ending(.close(afterByteCount: count))
  }

  /// Resets the connection after this number of bytes of the body.
  public func resetting(afterByteCount count: Int) -> LoopbackResponse {
    ending(.reset(afterByteCount: count))
  }

  private func ending(_ ending: Ending) -> LoopbackResponse {
    with { $0.ending = ending }
  }

  private func with(_ change: (inout LoopbackResponse) -> Void) -> LoopbackResponse {
    var copy = self
    change(&copy)
    return copy
  }
}
