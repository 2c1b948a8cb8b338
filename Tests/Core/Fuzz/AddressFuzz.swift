import Foundation
import OzuHTTP
import OzuImaging
import OzuServer

/// Reads addresses of the image service. The lines of the input: a path; the fields `Accept`, `Width` and `DPR` of the
/// request; the options of a preset. The path is also read as the options of an address.
@Sendable
func fuzzAddress(_ input: Data) {
  let lines = String(decoding: input, as: UTF8.self).split(
    separator: "\n", maxSplits: 4, omittingEmptySubsequences: false
  ).map(String.init)
  var rules = AddressRules()
  rules.allowsUnsigned = true
  rules.usesClientHints = true
  if lines.count > 4 { try? rules.definePreset("preset", options: lines[4]) }
  var headers = HTTPHeaders()
  for (name, value) in zip(["Accept", "Sec-CH-Width", "Sec-CH-DPR"], lines.dropFirst()) {
    headers.add(name: name, value: value)
  }
  let addresses = SignedAddresses(rules)
  let path = lines[0]
  for target in [path, "/unsafe/\(path)/plain/http://example.com/a.jpg", "/unsafe/pr:preset/\(path)"] {
    let request = ServiceRequest(method: "GET", target: target, headers: headers)
    guard let picture = try? addresses.picture(for: request, at: Date(timeIntervalSince1970: 1_767_355_200))
    else {
      continue
    }
    guard let size = picture.request.resize?.size else { continue }
    precondition(max(size.width, size.height) <= rules.largestSide, "a picture that is too large")
  }
  guard let source = URL(string: "http://example.com/a.jpg") else { return }
  _ = try? addresses.path(of: source, options: path, format: lines.last)
}
