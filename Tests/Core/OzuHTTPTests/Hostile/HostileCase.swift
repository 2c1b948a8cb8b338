#if os(Linux)
  import OzuTesting
  import Testing

  @testable import OzuHTTP

  /// One fault or rare behaviour of an origin, and the outcome of the exchange.
  ///
  /// The verdicts stand in the page `HostileOrigins` too; `HostileTableTests` compares the two.
  struct HostileCase: Sendable, CustomTestStringConvertible {
    /// Names the case in the page and in test reports.
    let name: String
    /// The behaviour of the origin, in a few words.
    let what: String
    let verdict: HostileVerdict
    /// Plays the case on a stage of its own and returns the outcome.
    let play: @Sendable (HostileStage) async throws -> HostileVerdict

    var testDescription: String { name }

    init(
      _ name: String, _ what: String, _ verdict: HostileVerdict,
      _ play: @escaping @Sendable (HostileStage) async throws -> HostileVerdict
    ) {
      (self.name, self.what, self.verdict, self.play) = (name, what, verdict, play)
    }

    /// A case of one request that is answered by these bytes, after which the connection closes.
    static func wire(
      _ name: String, _ what: String, _ verdict: HostileVerdict, _ bytes: String, limit: Int = 100_000_000
    ) -> HostileCase {
      answer(name, what, verdict, .verbatim(HostileStage.bytes(bytes)), limit: limit)
    }

    /// A case of one request with one answer.
    static func answer(
      _ name: String, _ what: String, _ verdict: HostileVerdict, _ response: LoopbackResponse,
      limit: Int = 100_000_000
    ) -> HostileCase {
      HostileCase(name, what, verdict) { stage in
        stage.server.route("/a", response)
        return await stage.get("/a", limit: limit)
      }
    }
  }

  /// The outcome of a case.
  enum HostileVerdict: Hashable, Sendable, CustomStringConvertible {
    /// The exchange works, with this status and this body.
    case taken(Int = 200, Content = .whole)
    /// The exchange fails for this cause.
    case refused(Cause)
    /// The test checked something else; this is its result.
    case seen(String)

    /// The body that the caller gets.
    enum Content: Hashable, Sendable {
      /// The body that the origin intends to send.
      case whole
      /// The bytes as they came, in the origin's content coding.
      case undecoded
      case empty
      case bytes(Int)
    }

    /// The groups of reasons that make a difference to a caller.
    enum Cause: String, Sendable {
      case protocolError = "not valid HTTP"
      case bodyTruncated = "body ended early"
      /// Either of the two above: a coding that cannot be undone may show as either.
      case damagedBody = "damaged body"
      case bodyTooLarge = "body too large"
      case connectionLost = "connection lost"
      case connectionRefused = "connection refused"
      case nameNotResolved = "name not resolved"
      case addressRefused = "address refused"
      case hostNotAllowed = "host not allowed"
      case connectTime = "connecting took too long"
      case idleTime = "silent too long"
      case totalTime = "took too long"
      case speed = "too slow"
      case tls = "no secure connection"
      case redirect = "redirect refused"
      case redirectCount = "too many redirects"
      case invalidURL = "invalid URL"
      case invalidRequest = "invalid request"
      case body = "body refused"
      case other = "anything else"
    }

    /// Whether an outcome agrees with this verdict.
    func accepts(_ seen: HostileVerdict) -> Bool {
      if case .refused(.damagedBody) = self {
        return [.refused(.protocolError), .refused(.bodyTruncated), self].contains(seen)
      }
      return self == seen
    }

    var description: String {
      switch self {
      case .taken(let status, let content):
        let prefix = status == 200 ? "" : "\(status), "
        return switch content {
        case .whole: prefix + "whole body"
        case .undecoded: prefix + "body as it came, undecoded"
        case .empty: prefix + "no body"
        case .bytes(let count): prefix + "\(count) bytes"
        }
      case .refused(let cause): return "refused: \(cause.rawValue)"
      case .seen(let text): return text
      }
    }
  }

  extension HostileVerdict.Cause {
    init(_ reason: HTTPError.Reason) {
      self =
        switch reason {
        case .protocolError: .protocolError
        case .bodyTruncated: .bodyTruncated
        case .contentCodingTruncated: .damagedBody
        case .bodyTooLarge: .bodyTooLarge
        case .connectionLost: .connectionLost
        case .connectionRefused: .connectionRefused
        case .nameNotResolved: .nameNotResolved
        case .addressRefused: .addressRefused
        case .hostNotAllowed: .hostNotAllowed
        case .timedOut(.connect): .connectTime
        case .timedOut(.idle): .idleTime
        case .timedOut(.total): .totalTime
        case .timedOut(.speed): .speed
        case .tlsFailed: .tls
        case .redirectRefused: .redirect
        case .tooManyRedirects: .redirectCount
        case .invalidURL, .unsupportedScheme: .invalidURL
        case .invalidRequest: .invalidRequest
        case .refused: .body
        default: .other
        }
    }
  }
#endif
