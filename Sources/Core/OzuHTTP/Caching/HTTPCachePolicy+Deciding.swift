import OzuBase

extension HTTPCachePolicy {
  /// The action for a request, given the stored responses for its key (RFC 9111 §4).
  ///
  /// - Parameter stored: the stored variants, in any order.
  public func decide(
    stored: [HTTPStoredResponse], request: HTTPRequest, mode: HTTPCacheMode = .default, now: Date
  ) -> HTTPCacheDecision {
    guard request.method == .get || request.method == .head else {
      return .init(.bypass, "the method \(request.method.rawValue) is not cached")
    }
    if mode == .noStore { return .init(.bypass, "the request bypasses the cache") }
    if mode == .reload { return .init(.fetch, "reload") }
    let control = CacheControl(request.headers)
    if control.contains("no-store") { return .init(.bypass, "no-store in the request") }
    // These conditions compare with the current state at the origin, which a cache does not know.
    if ["If-Match", "If-Unmodified-Since", "If-Range"].contains(where: request.headers.contains(name:)) {
      return .init(.bypass, "the request has a precondition for the origin")
    }
    let isOnlyIfCached = mode == .onlyIfCached || control.contains("only-if-cached")
    guard let choice = Self.choice(among: stored, for: request, now: now) else {
      if isOnlyIfCached { return .init(.refuse, "only-if-cached, and nothing is stored") }
      if stored.isEmpty { return .init(.fetch, "not stored") }
      return .init(.validate, "no stored variant matches")
    }
    let response = stored[choice]
    let staleness = staleness(of: response, now: now)
    if mode == .forceCache || mode == .onlyIfCached {
      return staleness < 0
        ? fresh(response, choice, for: -staleness)
        : .init(.serve, choice, isStale: true, "\(staleText(response, staleness)), served as asked")
    }
    let decision = decideByLifetime(response, choice, staleness, control, mode: mode, now: now)
    if isOnlyIfCached, decision.action == .validate {
      return .init(.refuse, "only-if-cached, and what is stored is \(decision.reason)")
    }
    return decision
  }

  private func decideByLifetime(
    _ response: HTTPStoredResponse, _ choice: Int, _ staleness: Double, _ control: CacheControl,
    mode: HTTPCacheMode, now: Date
  ) -> HTTPCacheDecision {
    let validation = { (reason: String) in
      HTTPCacheDecision(.validate, choice, isStale: staleness >= 0, reason)
    }
    // This applies to `immutable` responses too: RFC 8246 §2 avoids the validations of a reload, and this mode asks
    // for one.
    if mode == .noCache { return validation("validation was asked for") }
    if control.contains("no-cache") { return validation("no-cache in the request") }
    if isIgnoringOrigin(response) {
      return staleness < 0
        ? fresh(response, choice, for: -staleness) : validation(staleText(response, staleness))
    }
    if Self.demandsValidation(response) { return validation("no-cache") }

    // §5.2.1: the client may demand more freshness than the origin, or less.
    let age = age(of: response, now: now)
    let minimumLeft = Double(control.seconds("min-fresh") ?? 0)
    let isYoungEnough = control.seconds("max-age").map { age <= Double($0) } ?? true
    if staleness < -minimumLeft || (staleness < 0 && minimumLeft == 0) {
      if isYoungEnough { return fresh(response, choice, for: -staleness) }
    }
    guard staleness >= 0 else {
      return validation(isYoungEnough ? "fresh for less than asked" : "older than asked")
    }
    let text = staleText(response, staleness)
    if let directive = directiveAgainstStale(response.cacheControl) {
      return validation("\(text), \(directive)")
    }
    if isYoungEnough, minimumLeft == 0 {
      if control.contains("max-stale"),
        control.value("max-stale") == "" || staleness <= Double(control.seconds("max-stale") ?? 0)
      {
        return .init(.serve, choice, isStale: true, "\(text), within max-stale")
      }
      let window = response.cacheControl.contains("stale-while-revalidate")
      if window, !control.contains("max-age"),
        staleness <= Double(response.cacheControl.seconds("stale-while-revalidate") ?? 0)
      {
        return .init(.serveAndValidate, choice, isStale: true, "\(text), within stale-while-revalidate")
      }
    }
    return validation(text)
  }

  /// The reason why a stale response may be served if the origin fails (RFC 5861 §4) or cannot be reached (RFC 9111
  /// §4.2.4); nil if it must not be.
  public func reasonToServeStale(
    _ response: HTTPStoredResponse, request: HTTPRequest, mode: HTTPCacheMode = .default,
    isDisconnected: Bool, now: Date
  ) -> String? {
    let control = CacheControl(request.headers)
    guard mode == .default || mode == .forceCache, !control.contains("no-cache"),
      isIgnoringOrigin(response)
        || !Self.demandsValidation(response) && directiveAgainstStale(response.cacheControl) == nil
    else { return nil }
    let staleness = max(0, staleness(of: response, now: now))
    let windows = [response.cacheControl, control].compactMap { $0.seconds("stale-if-error") }
    if let window = windows.max(), staleness <= Double(window) {
      return "\(staleText(response, staleness)), within stale-if-error"
    }
    guard isDisconnected, servesStaleWhenDisconnected else { return nil }
    return "\(staleText(response, staleness)), the origin cannot be reached"
  }

  /// The directive that forbids serving a response stale; nil if there is none.
  private func directiveAgainstStale(_ control: CacheControl) -> String? {
    let directives = ["must-revalidate"] + (isShared ? ["proxy-revalidate", "s-maxage"] : [])
    return directives.first(where: control.contains)
  }

  /// Whether a result made from a response may be used after its lifetime when the origin cannot be reached.
  func mayUseOffline(_ control: CacheControl) -> Bool {
    directiveAgainstStale(control) == nil && !control.contains("no-cache")
  }

  /// The newest stored response that may answer a request (§4.1). One that is dated in the future comes last: nobody knows its age.
  static func choice(among stored: [HTTPStoredResponse], for request: HTTPRequest, now: Date) -> Int? {
    func rank(_ index: Int) -> (Int, Date, Date) {
      let response = stored[index]
      return (isDatedInFuture(response.responseDate, now: now) ? 0 : 1, response.date, response.responseDate)
    }
    return stored.indices.filter {
      HTTPVary(stored[$0].headers).matches(request, stored: stored[$0].selectingHeaders)
    }.max { rank($0) < rank($1) }
  }

  /// Whether the response has `no-cache` without field names (§5.2.2.4).
  private static func demandsValidation(_ response: HTTPStoredResponse) -> Bool {
    response.cacheControl.fieldNames("no-cache")?.isEmpty == true
  }

  private func isIgnoringOrigin(_ response: HTTPStoredResponse) -> Bool {
    freshness(of: response).source == .policy
  }

  private func fresh(_ response: HTTPStoredResponse, _ choice: Int, for seconds: Double) -> HTTPCacheDecision
  {
    let source = freshness(of: response).source
    let note = [.maxAge, .sharedMaxAge, .expires].contains(source) ? "" : " (\(source.rawValue))"
    return .init(.serve, choice, isStale: false, "fresh for \(HTTPDurationText.text(seconds))\(note)")
  }

  private func staleText(_ response: HTTPStoredResponse, _ staleness: Double) -> String {
    let freshness = freshness(of: response)
    if freshness.source == .none { return "stale, without a lifetime" }
    if Self.demandsValidation(response) { return "stale by no-cache" }
    return "stale for \(HTTPDurationText.text(staleness))"
      + (staleness == .infinity ? " (it is dated in the future)" : "")
  }
}

extension HTTPCacheDecision {
  fileprivate init(_ action: Action, _ reason: String) {
    self.init(action: action, choice: nil, isStale: false, reason: reason)
  }

  fileprivate init(_ action: Action, _ choice: Int, isStale: Bool, _ reason: String) {
    self.init(action: action, choice: choice, isStale: isStale, reason: reason)
  }
}
