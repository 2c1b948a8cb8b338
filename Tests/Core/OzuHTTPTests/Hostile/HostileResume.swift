#if os(Linux)
  import Foundation
  import OzuTesting

  @testable import OzuHTTP

  /// Transfers that break off, and what an origin says when it is asked for the rest (RFC 9110 §14 and §15.3.7).
  enum HostileResume {
    static let cases = kept + rests

    private static let picture = HostileStage.picture
    private static let cut = 2000
    private static let tag: HTTPHeaders = ["ETag": "\"1\""]

    private static func beginning(_ headers: HTTPHeaders) -> LoopbackResponse {
      LoopbackResponse(headers: headers, body: picture).closing(afterByteCount: cut)
    }

    /// A case whose body is cut. Its verdict has the requests after the first one, and the body of the second.
    private static func resume(
      _ name: String, _ what: String, _ verdict: String, after first: HTTPHeaders = tag,
      _ responses: LoopbackResponse...
    ) -> HostileCase {
      HostileCase(name, what, .seen(verdict)) { stage in
        var configuration = HTTPCacheConfiguration()
        configuration.currentDate = { noon }
        configuration.minimumPartialByteCount = 1
        let cache = HTTPCache(
          client: stage.client, storage: InMemoryHTTPCacheStorage(), configuration: configuration)
        stage.server.route("/a", [beginning(first)] + responses)
        let request = HTTPRequest(url: stage.server.url("/a"), timeouts: .patient)
        guard (try? await cache.response(for: request)) == nil else { return .seen("a cut body was taken") }
        // Until it is there, or does not come.
        var text = ""
        for _ in responses {
          do {
            let answer = try await cache.response(for: request)
            text = "\(HostileStage.verdict(answer.status, answer.body))"
            break
          } catch let error as HTTPError {
            text = "\(HostileVerdict.refused(.init(error.reason)))"
          }
        }
        let asked = stage.server.requests.dropFirst().map { $0.headers["Range"] == nil ? "whole" : "rest" }
        return .seen("asks for the \(asked.joined(separator: ", the ")): \(text)")
      }
    }

    private static func rest(
      from first: Int = cut, to last: Int = picture.count - 1, total: String = "\(picture.count)",
      _ headers: HTTPHeaders = tag
    ) -> LoopbackResponse {
      var headers = headers
      headers["Content-Range"] = "bytes \(first)-\(last)/\(total)"
      return LoopbackResponse(status: 206, headers: headers, body: picture[first...last])
    }

    private static let whole = LoopbackResponse(headers: tag, body: picture)
    private static let direct = "asks for the whole: whole body"
    private static let joined = "asks for the rest: whole body"
    private static let anew = "asks for the rest, the whole: whole body"

    // Broken answers, whose beginning is kept or not.
    private static let kept: [HostileCase] = [
      resume("resume-strong-tag", "a cut body with a strong entity tag, then its rest", joined, rest()),
      resume(
        "resume-old-date", "a cut body with an old date of change, then its rest", joined,
        after: ["Last-Modified": dateText(-3600), "Date": dateText()], rest([:])),
      resume(
        "resume-weak-tag", "a cut body with a weak entity tag", direct, after: ["ETag": "W/\"1\""], whole),
      resume("resume-no-validator", "a cut body without validator", direct, after: [:], whole),
      resume(
        "resume-new-date", "a cut body that has changed just now", direct,
        after: ["Last-Modified": dateText(), "Date": dateText()], whole),
      resume(
        "resume-no-ranges", "a cut body with `Accept-Ranges: none`", direct,
        after: ["ETag": "\"1\"", "Accept-Ranges": "none"], whole),
      resume(
        "resume-no-store", "a cut body with `no-store`", direct,
        after: ["ETag": "\"1\"", "Cache-Control": "no-store"], whole),
    ]

    // Answers that are accepted as the rest, or not.
    private static let rests: [HostileCase] = [
      resume(
        "rest-200", "200 with a changed entity tag", joined,
        LoopbackResponse(headers: ["ETag": "\"2\""], body: picture)),
      resume("rest-changed", "206 with another entity tag", anew, rest(["ETag": "\"2\""]), whole),
      resume("rest-no-tag", "206 without entity tag", anew, rest([:]), whole),
      resume("rest-weak-tag", "206 with the tag as a weak one", anew, rest(["ETag": "W/\"1\""]), whole),
      resume("rest-other-start", "206 from another byte on", anew, rest(from: cut - 10), whole),
      resume("rest-other-total", "206 of another length", anew, rest(total: "9999"), whole),
      resume(
        "rest-coded", "206 in gzip", anew,
        rest(["ETag": "\"1\"", "Content-Encoding": "gzip"]), whole),
      resume(
        "rest-multipart", "206 in several parts", anew,
        LoopbackResponse(
          status: 206, headers: ["ETag": "\"1\"", "Content-Type": "multipart/byteranges; boundary=b"],
          body: Data("--b".utf8)), whole),
      resume(
        "rest-malformed", "206 with a malformed `Content-Range`", anew,
        LoopbackResponse(
          status: 206, headers: ["ETag": "\"1\"", "Content-Range": "bytes 2000-1999/x"], body: Data("x".utf8)),
        whole),
      resume("rest-416", "416", anew, .status(416), whole),
      resume("rest-404", "404", "asks for the rest: 404, no body", .status(404)),
      resume(
        "rest-cut-again", "the rest cut again, then its own rest", "asks for the rest, the rest: whole body",
        rest().closing(afterByteCount: 500), rest(from: cut + 500)),
      resume(
        "rest-short", "a 206 that is shorter than asked for, then the others",
        "asks for the rest, the rest: whole body", rest(to: cut + 499), rest(from: cut + 500)),
    ]
  }

  extension HostileResume {
    private static func rest(_ headers: HTTPHeaders) -> LoopbackResponse {
      rest(from: cut, headers)
    }
  }
#endif
