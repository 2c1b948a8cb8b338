import Foundation
import OzuBase
import OzuHTTP
import OzuTesting

/// A fake S3 service on 127.0.0.1. It checks the signatures, and refuses requests with a wrong one.
final class FakeS3: Sendable {
  static let credentials = SignatureV4(
    accessKey: "AKIDEXAMPLE", secretKey: "a/secret+key", region: "eu-central-1")

  private struct State {
    var objects: [String: Data] = [:]
    var faults: [String] = []
    var react: @Sendable (LoopbackRequest) -> LoopbackResponse? = { _ in nil }
  }

  let server: LoopbackServer
  private let state = Mutex(State())
  private let pageSize: Int

  init(pageSize: Int = 1000) throws {
    self.pageSize = pageSize
    server = try LoopbackServer()
    server.routeRest { [weak self] request in self?.answer(request) ?? .status(500) }
  }

  /// Returns an answer that replaces the usual one; `nil` for the usual one.
  var react: @Sendable (LoopbackRequest) -> LoopbackResponse? {
    get { state.withLock { $0.react } }
    set { state.withLock { $0.react = newValue } }
  }

  /// The faults of signatures so far.
  var faults: [String] { state.withLock { $0.faults } }

  var names: [String] { state.withLock { $0.objects.keys.sorted() } }

  subscript(name: String) -> Data? {
    get { state.withLock { $0.objects[name] } }
    set { state.withLock { $0.objects[name] = newValue } }
  }

  private static func error(_ status: Int, _ code: String) -> LoopbackResponse {
    var response = LoopbackResponse.status(status)
    response.body = .data(Data("<?xml version=\"1.0\"?><Error><Code>\(code)</Code></Error>".utf8))
    return response
  }

  private static func tag(_ data: Data) -> String { "\"\(SHA256.hexDigest(of: Array(data)))\"" }

  private func answer(_ request: LoopbackRequest) -> LoopbackResponse {
    let fault = Self.credentials.fault(
      method: request.method, path: request.path, query: request.query, headers: request.headers,
      body: request.body)
    if let fault {
      state.withLock { $0.faults.append("\(request.method) \(request.path): \(fault)") }
      return Self.error(403, "SignatureDoesNotMatch")
    }
    if let response = react(request) { return response }
    guard request.path.hasPrefix("/bucket") else { return Self.error(404, "NoSuchBucket") }
    let name = String(request.path.dropFirst("/bucket/".count))
    return state.withLock { state in
      switch request.method {
      case "PUT":
        if request.headers["If-None-Match"] == "*", state.objects[name] != nil {
          return Self.error(412, "PreconditionFailed")
        }
        state.objects[name] = request.body
        return .status(200)
      case "DELETE":
        if let tag = request.headers["If-Match"], let data = state.objects[name], tag != Self.tag(data) {
          return Self.error(412, "PreconditionFailed")
        }
        state.objects[name] = nil
        return .status(204)
      case "GET" where request.query?.contains("list-type=2") == true:
        return list(request.query ?? "", state.objects)
      case "GET", "HEAD":
        guard let data = state.objects[name] else { return Self.error(404, "NoSuchKey") }
        guard let last = request.headers["Range"].flatMap({ Int($0.dropFirst("bytes=0-".count)) }) else {
          return LoopbackResponse.ok(data).header("ETag", Self.tag(data))
        }
        if data.isEmpty { return Self.error(416, "InvalidRange") }
        var response = LoopbackResponse.ok(Data(data.prefix(last + 1)))
        response.status = 206
        return response.header("ETag", Self.tag(data))
      default: return Self.error(405, "MethodNotAllowed")
      }
    }
  }

  private func list(_ query: String, _ objects: [String: Data]) -> LoopbackResponse {
    let items = Dictionary(
      uniqueKeysWithValues: query.split(separator: "&").map { item -> (String, String) in
        let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return (String(parts[0]), String(parts[1]).removingPercentEncoding ?? "")
      })
    let after = items["continuation-token"].map { String($0.dropFirst("after & ".count)) } ?? ""
    let names = objects.keys.filter { $0.hasPrefix(items["prefix"] ?? "") && $0 > after }.sorted()
    let page = names.prefix(pageSize)
    var text =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?><ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
    text += "<IsTruncated>\(names.count > page.count)</IsTruncated>"
    for name in page { text += "<Contents><Key>\(name)</Key><Size>1</Size></Contents>" }
    if names.count > page.count {
      text += "<NextContinuationToken>after &amp; \(page.last ?? "")</NextContinuationToken>"
    }
    return .ok(Data((text + "</ListBucketResult>").utf8), type: "application/xml")
  }
}
