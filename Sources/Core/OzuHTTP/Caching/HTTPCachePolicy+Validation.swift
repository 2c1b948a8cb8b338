import OzuBase

extension HTTPCachePolicy {
  /// The fields that ask whether the stored responses are still valid (RFC 9111 §4.3.1): every stored entity tag in
  /// `If-None-Match`, and the date of the chosen response in `If-Modified-Since`, for origins that support only one
  /// of the two. Empty if there is no validator.
  ///
  /// - Parameter choice: the response that matches the request; without one only tags are sent.
  public func conditionalHeaders(
    for stored: [HTTPStoredResponse], choice: Int?
  ) -> HTTPHeaders {
    var headers = HTTPHeaders()
    let first = choice.flatMap { stored[$0].entityTag }
    let others = stored.indices.filter { $0 != choice }.compactMap { stored[$0].entityTag }
    var tags: [String] = []
    for tag in [first].compactMap({ $0 }) + others where !tags.contains(tag) { tags.append(tag) }
    if !tags.isEmpty { headers.add(name: "If-None-Match", value: tags.joined(separator: ", ")) }
    if let date = choice.flatMap({ stored[$0].lastModified }) {
      headers.add(name: "If-Modified-Since", value: date)
    }
    return headers
  }

  /// The index of the stored response that a 304 confirms (§4.3.4): by its entity tag, otherwise by its date,
  /// otherwise the only one that was asked about. Nil if it confirms none; then the whole response must be
  /// requested.
  public func validated(
    by head: HTTPResponseHead, among stored: [HTTPStoredResponse], choice: Int?
  ) -> Int? {
    if let tag = head.headers.first("ETag"), !tag.isEmpty {
      let matching = stored.indices.filter {
        stored[$0].entityTag.map { HTTPEntityTag.matchesWeakly($0, tag) } ?? false
      }
      if let choice, matching.contains(choice) { return choice }
      if let newest = matching.max(by: { stored[$0].date < stored[$1].date }) { return newest }
      // If no stored response has a tag, the 304 may give a tag to the one that was validated by date.
      return choice.flatMap { stored[$0].entityTag == nil ? $0 : nil }
    }
    if let date = head.headers.first("Last-Modified") {
      if let choice, stored[choice].lastModified == nil || stored[choice].lastModified == date {
        return choice
      }
      return stored.indices.first { stored[$0].lastModified == date }
    }
    return choice ?? (stored.count == 1 ? 0 : nil)
  }

  /// A stored response after a 304 (§3.2). The new fields replace the old ones, except those that describe the
  /// body, which was not sent again. Its age starts again.
  public func updated(
    _ response: HTTPStoredResponse, by head: HTTPResponseHead, for request: HTTPRequest, requestDate: Date,
    responseDate: Date
  ) -> HTTPStoredResponse {
    var headers = response.headers.updated(
      by: Self.storableHeaders(head.headers),
      except: ["Content-Length", "Content-Encoding", "Content-Type", "Content-Range"])
    if !headers.contains(name: "Date") {
      headers.add(name: "Date", value: HTTPDate.string(from: responseDate))
    }
    var result = response
    result.headers = headers
    result.requestDate = requestDate
    result.responseDate = responseDate
    result.selectingHeaders = HTTPVary(headers).selectingHeaders(of: request)
    return result
  }

  /// Whether the answer to a HEAD request confirms a stored answer to GET (§4.3.5): it has no validator and no length that the
  /// stored one lacks. Otherwise an outdated body could get the validator of the current one, and be confirmed by it from then on.
  public func confirms(_ head: HTTPResponseHead, _ response: HTTPStoredResponse) -> Bool {
    head.status == response.status
      && ["ETag", "Last-Modified", "Content-Length"].allSatisfy { name in
        head.headers.first(name).map { $0 == response.headers.first(name) } ?? true
      }
  }

  /// The head with which a stored response is served: with its age (§5.1), and without the fields that
  /// `no-cache="…"` excludes from reuse (§5.2.2.4).
  public func servedHead(
    of response: HTTPStoredResponse, now: Date, isValidated: Bool = false
  ) -> HTTPResponseHead {
    var headers = response.headers
    if !isValidated {
      for name in response.cacheControl.fieldNames("no-cache") ?? [] { headers.remove(name: name) }
    }
    let age = min(Int(clamping: age(of: response, now: now)), DeltaSeconds.maximum)
    headers["Age"] = isValidated ? headers["Age"] : String(age)
    return HTTPResponseHead(status: response.status, headers: headers, url: response.url)
  }

  /// Whether a stored response meets the request's own condition, so that the answer is 304 (§4.3.2).
  public func satisfiesCondition(of request: HTTPRequest, _ response: HTTPStoredResponse) -> Bool {
    guard (200..<300).contains(response.status) else { return false }
    if let tags = request.headers["If-None-Match"] {
      let wanted = HTTPList.elements(of: tags)
      return wanted.contains("*")
        || wanted.contains { tag in
          response.entityTag.map { HTTPEntityTag.matchesWeakly($0, tag) } ?? false
        }
    }
    guard let since = request.headers.first("If-Modified-Since").flatMap({ HTTPDate.date(from: $0) }) else {
      return false
    }
    let changed = response.lastModified.flatMap { HTTPDate.date(from: $0) } ?? response.date
    return changed <= since
  }
}

/// Entity tags (RFC 9110 §8.8.3).
enum HTTPEntityTag {
  /// Whether two tags mark equivalent content, whose bytes may differ.
  static func matchesWeakly(_ a: String, _ b: String) -> Bool { opaque(a) == opaque(b) }

  /// Whether the tag marks exactly equal bytes.
  static func isStrong(_ tag: String) -> Bool { !tag.hasPrefix("W/") && tag.hasPrefix("\"") }

  private static func opaque(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }
}
