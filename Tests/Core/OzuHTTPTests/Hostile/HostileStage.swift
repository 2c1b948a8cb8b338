#if os(Linux)
  import Foundation
  import OzuTesting

  @testable import OzuHTTP

  /// The origin and the client of one case.
  struct HostileStage: Sendable {
    let server: LoopbackServer
    let client: DefaultHTTPClient

    init() throws {
      server = try LoopbackServer()
      client = directClient()
    }

    /// The body that an origin means to send.
    static let picture = patternedBytes(3698)

    /// Text to send, in which `{P}` stands for the picture.
    static func bytes(_ text: String) -> Data {
      let parts = text.components(separatedBy: "{P}").map { Data($0.utf8) }
      return Data(parts.joined(separator: picture))
    }

    /// Bytes after which the connection stays open and silent, until the client closes it.
    static func open(_ bytes: Data) -> LoopbackResponse {
      let gate = Gate()
      gate.admit(1)
      return .verbatim(bytes + [0]).dripping(bytes.count, through: gate)
    }

    /// Asks for a path and judges the answer.
    func get(
      _ path: String, limit: Int = 100_000_000, timeouts: HTTPTimeouts = .patient, coded: Data? = nil
    ) async -> HostileVerdict {
      await outcome(
        of: HTTPRequest(url: server.url(path), timeouts: timeouts, maximumBodyByteCount: limit), coded: coded)
    }

    /// Sends a request and judges the answer.
    ///
    /// - Parameter coded: the body as it goes over the wire, where that is not what the origin means.
    func outcome(
      of request: HTTPRequest, by other: (any HTTPClient)? = nil, coded: Data? = nil
    ) async -> HostileVerdict {
      do throws(HTTPError) {
        let (body, response) = try await (other ?? client).data(for: request)
        return Self.verdict(response.status, body, coded: coded)
      } catch {
        return .refused(HostileVerdict.Cause(error.reason))
      }
    }

    static func verdict(_ status: Int, _ body: Data, coded: Data? = nil) -> HostileVerdict {
      let content: HostileVerdict.Content =
        if body == picture {
          .whole
        } else if body.isEmpty {
          .empty
        } else if body == coded {
          .undecoded
        } else {
          .bytes(body.count)
        }
      return .taken(status, content)
    }
  }
#endif
