#if os(Linux)
  import CCurl

  import OzuBase

  /// One request in progress: the current hop, its head, and the number of bytes of its body.
  ///
  /// Unchecked Sendable: `CurlClient.send` makes it and passes it to the loop's thread. Only that thread uses the
  /// mutable state. The client keeps a reference only to name the transfer in a `.cancel`, and a slow sink to name
  /// it in a `.resume`.
  final class CurlTransfer: @unchecked Sendable {
    typealias Completion = CheckedContinuation<Result<HTTPResponse, HTTPError>, Never>

    enum Phase {
      case fresh, cancelledBeforeStart, waiting, active, finished
    }

    let sink: any HTTPBodySink
    let loop: CurlLoop
    var completion: Completion?
    var phase = Phase.fresh
    var ticket: UInt64 = 0
    var handle: CurlHandle?
    /// The request of the current hop, and its origin.
    var hop: HTTPRequest
    var origin: HTTPOrigin

    var head = ResponseHeadParser()
    var decision = RedirectDecision.deliver
    var redirectCount = 0
    var bodyByteCount = 0
    var uploadOffset = 0
    var failure: HTTPError?
    var expectedByteCount: Int?
    /// The number of bytes before content decoding, which `Content-Length` counts.
    var encodedByteCount = 0
    var decoder: ContentDecoder?
    /// The chunks of the body, if it comes in chunks.
    var chunks: ChunkedBody?
    /// The number of bytes up to the data of chunks that were not taken before a pause, and that libcurl passes again.
    var repeatedChunkByteCount = 0
    /// The number of bytes that were decoded before a pause, and that libcurl passes again.
    var repeatedByteCount = 0

    var timing: TransferTiming
    let clock: CurlClock

    /// Decides to which addresses every hop may connect; nil allows all.
    let addressFilter: AddressFilter?
    var refusedAddress: String?
    /// The port of the last address to which libcurl began to connect: the origin's, or the proxy's.
    var connectingPort: Int?
    let hostRule: HTTPHostRule

    init(
      request: HTTPRequest, origin: HTTPOrigin, sink: any HTTPBodySink, loop: CurlLoop,
      addressFilter: AddressFilter?, hostRule: HTTPHostRule
    ) {
      hop = request
      self.loop = loop
      clock = loop.clock
      self.addressFilter = addressFilter
      self.hostRule = hostRule
      timing = TransferTiming(limits: request.timeouts)
      self.origin = origin
      self.sink = sink
    }

    /// Whether the connection of the hop carries several exchanges at once.
    var isMultiplexed: Bool {
      head.isComplete && (head.version == .http2 || head.version == .http3)
    }

    /// The number of bytes to send: zero for a method with a body if the request has none, nil for other methods.
    var uploadByteCount: Int? {
      hop.body?.count ?? ([.post, .put, .patch].contains(hop.method) ? 0 : nil)
    }

    func beginHop(at now: ContinuousClock.Instant) {
      timing.beginHop(at: now)
      head = ResponseHeadParser()
      decision = .deliver
      bodyByteCount = 0
      uploadOffset = 0
      failure = nil
      refusedAddress = nil
      expectedByteCount = nil
      encodedByteCount = 0
      decoder = nil
      repeatedByteCount = 0
      chunks = nil
      repeatedChunkByteCount = 0
      connectingPort = nil
    }

    /// The guard refused to connect to this address; another address of the host may still work.
    func noteRefusedAddress(_ address: String) {
      refusedAddress = address
    }

    func noteConnected() {
      timing.noteActivity(at: clock.now)
    }
  }
#endif
