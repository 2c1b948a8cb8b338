#if os(Linux)
  import CCurl

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// One request on its way: the current hop, its head as it is read, the count of its body.
  ///
  /// Unchecked Sendable: made by `CurlClient.send`, then handed to the loop's thread, which alone touches the
  /// mutable state. The client keeps a reference only to name the transfer in a `.cancel`, and a sink that is behind
  /// one to name it in a `.resume`.
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
    /// The request of the current hop, and where it goes.
    var hop: HTTPRequest
    var origin: HTTPOrigin

    var head = ResponseHeadParser()
    var decision = RedirectDecision.deliver
    var redirectCount = 0
    var bodyByteCount = 0
    var uploadOffset = 0
    var failure: HTTPError?
    var expectedByteCount: Int?
    /// How many bytes came before content decoding: what `Content-Length` counts.
    var encodedByteCount = 0
    var decoder: ContentDecoder?
    /// How many bytes at the beginning of what libcurl hands over after a pause have been decoded before.
    var repeatedByteCount = 0

    var timing: TransferTiming
    let clock: CurlClock

    /// Which addresses may be connected to, on this hop and on every other; nil for all.
    let addressFilter: AddressFilter?
    var refusedAddress: String?
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

    /// Whether the hop's connection carries more than one exchange at once.
    var isMultiplexed: Bool {
      head.isComplete && (head.version == .http2 || head.version == .http3)
    }

    /// How many bytes go up; zero for a method that means a body and has none; nil for the others.
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
    }

    /// The guard would not have the connection made; another address of the host may still do.
    func noteRefusedAddress(_ address: String) {
      refusedAddress = address
    }

    func noteConnected() {
      timing.noteActivity(at: clock.now)
    }
  }
#endif
