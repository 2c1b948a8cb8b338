import Foundation
import OzuBase
import OzuHTTP

/// AWS Signature Version 4 as a service computes it ("Authenticating Requests: Using the Authorization Header", S3 API
/// Reference), independently of libcurl, which makes the signatures.
struct SignatureV4 {
  var accessKey: String
  var secretKey: String
  var region: String

  /// The fault of a request's signature; `nil` if it is valid.
  func fault(
    method: String, path: String, query: String?, headers: HTTPHeaders, body: Data
  ) -> String? {
    guard let authorization = headers["Authorization"] else { return "no Authorization" }
    guard let date = headers["x-amz-date"] else { return "no x-amz-date" }
    guard let payload = headers["x-amz-content-sha256"] else { return "no x-amz-content-sha256" }
    if payload != "UNSIGNED-PAYLOAD", payload != SHA256.hexDigest(of: Array(body)) { return "another body" }
    let prefix = "AWS4-HMAC-SHA256 Credential="
    guard authorization.hasPrefix(prefix) else { return "another algorithm" }
    let parts = authorization.dropFirst(prefix.count).split(separator: ",").map {
      $0.trimmingCharacters(in: .whitespaces)
    }
    let scope = "\(date.prefix(8))/\(region)/s3/aws4_request"
    guard parts.count == 3, parts[0] == "\(accessKey)/\(scope)", parts[1].hasPrefix("SignedHeaders="),
      parts[2].hasPrefix("Signature=")
    else { return "another scope: \(authorization)" }
    let signed = parts[1].dropFirst("SignedHeaders=".count).split(separator: ";").map(String.init)
    guard signed == signed.sorted(), signed.contains("host") else {
      return "headers are not in order: \(signed)"
    }
    for field in headers where field.name.lowercased().hasPrefix("x-amz-") {
      guard signed.contains(field.name.lowercased()) else { return "\(field.name) is not signed" }
    }
    for name in signed where headers[name] == nil { return "\(name) is signed and was not sent" }

    let items = (query ?? "").split(separator: "&").map { item -> String in
      item.contains("=") ? String(item) : "\(item)="
    }
    let fields = signed.map { "\($0):\(collapsed(headers[$0] ?? ""))\n" }.joined()
    let canonical = [
      method, path, items.sorted().joined(separator: "&"), fields, signed.joined(separator: ";"), payload,
    ].joined(separator: "\n")
    let text = ["AWS4-HMAC-SHA256", date, scope, SHA256.hexDigest(of: Array(canonical.utf8))].joined(
      separator: "\n")
    var key = Array("AWS4\(secretKey)".utf8)
    for part in [String(date.prefix(8)), region, "s3", "aws4_request", text] {
      key = SHA256.authenticationCode(of: Array(part.utf8), key: key)
    }
    let signature = key.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    return parts[2].dropFirst("Signature=".count) == signature
      ? nil : "the signature differs from that of\n\(canonical)"
  }

  private func collapsed(_ value: String) -> String { value.split(separator: " ").joined(separator: " ") }
}
