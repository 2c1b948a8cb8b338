import OzuBase

extension HTTPCachePolicy {
  /// The action for a request, given the stored responses for its key (RFC 9111 §4).
  ///
  /// - Parameter stored: the stored variants, in any order.
  public func decide(
    stored: [HTTPStoredResponse], request: HTTPRequest, mode: HTTPCacheMode = .default, now: Date
  ) -> HTTPCacheDecision {
    let control = CacheControl(request.headers)
    let isOnlyIfCached = mode == .onlyIfCached || control.contains("only-if-cached")
    // A request that wants no answer of the origin is not sent there either.
    func bypass(_ reason: String) -> HTTPCacheDecision {
      isOnlyIfCached ? .init(.refuse, "only-if-cached, and \(reason)") : .init(.bypass, reason)
    }
    guard request.method == .get || request.method == .head else {
      return bypass("the method \(request.method.rawValue) is not cached")
    }
    if mode == .noStore { return .init(.bypass, "the request bypasses the cache") }
    if mode == .reload { return .init(.fetch, "reload") }
    if control.contains("no-store") { return bypass("no-store in the request") }
    // These conditions compare with the current state at the origin, which a cache does not know.
    if ["If-Match", "If-Unmodified-Since", "If-Range"].contains(where: request.headers.contains(name:)) {
      return bypass("the request has a precondition for the origin")
    }
    if !request.allowsContentDecoding, stored.contains(where: \.headers.hasContentCoding) {
      return bypass("what is stored is decoded, and the request wants it as it is sent")
    }
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
    let origin = respectedDirectives(of: response)
    if origin.demandsValidation { return validation("no-cache") }

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
    if let directive = directiveAgainstStale(origin) { return validation("\(text), \(directive)") }
    if isYoungEnough, minimumLeft == 0 {
      if control.contains("max-stale"),
        control.value("max-stale") == "" || staleness <= Double(control.seconds("max-stale") ?? 0)
      {
        return .init(.serve, choice, isStale: true, "\(text), within max-stale")
      }
      if let window = origin.seconds("stale-while-revalidate"), !control.contains("max-age"),
        staleness <= Double(window)
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
    let (control, origin) = (CacheControl(request.headers), respectedDirectives(of: response))
    guard mode == .default || mode == .forceCache, !control.contains("no-cache"), allowsStale(origin)
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
    if control.contains("must-revalidate") { return "must-revalidate" }
    return isShared ? ["proxy-revalidate", "s-maxage"].first(where: control.contains) : nil
  }

  private func allowsStale(_ control: CacheControl) -> Bool {
    !control.demandsValidation && directiveAgainstStale(control) == nil
  }

  /// Whether a result made from a response may be used after its lifetime when the origin cannot be reached.
  ///
  /// A policy that ignores the origin respects it here, because requests with other policies may use the result.
  func mayUseOffline(_ control: CacheControl) -> Bool {
    servesStaleWhenDisconnected && allowsStale(control)
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

  /// The directives of the origin that this policy obeys: none if it ignores its lifetimes.
  private func respectedDirectives(of response: HTTPStoredResponse) -> CacheControl {
    freshness(of: response).source == .policy ? CacheControl([:]) : response.cacheControl
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
    if response.cacheControl.demandsValidation { return "stale by no-cache" }
    if freshness.source != .policy, response.redirectsFreshUntil == .distantPast {
      return "stale by a redirect without a lifetime"
    }
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

/// How long a response is fresh, and which rule gives this lifetime.
public struct HTTPFreshness: Sendable, Hashable {
  /// The rule that gives the lifetime.
  public enum Source: String, Sendable, Hashable {
    /// `Cache-Control: s-maxage`, in a shared cache (RFC 9111 §5.2.2.10).
    case sharedMaxAge = "s-maxage"
    /// `Cache-Control: max-age` (RFC 9111 §5.2.2.1).
    case maxAge = "max-age"
    /// `Expires` (§5.3).
    case expires
    /// A part of the time since `Last-Modified` (§4.2.2).
    case lastModified = "heuristic"
    /// The policy's lifetime for responses without any lifetime information.
    case assumed
    /// The policy, which ignores the origin.
    case policy
    /// No rule gives a lifetime.
    case none
  }

  /// The lifetime in seconds, from the response's date.
  public let lifetime: Double
  /// The rule that gives the lifetime.
  public let source: Source
}

extension HTTPCachePolicy {
  /// How long a response is fresh (§4.2.1): by `max-age`, otherwise by `Expires`, otherwise by a heuristic.
  ///
  /// A malformed field counts as no lifetime, never as a heuristic one.
  public func freshness(of response: HTTPStoredResponse) -> HTTPFreshness {
    freshness(of: response, response.cacheControl)
  }

  private func freshness(of response: HTTPStoredResponse, _ control: CacheControl) -> HTTPFreshness {
    if case .ignoring(let lifetime) = lifetimes, (200..<300).contains(response.status) {
      return HTTPFreshness(lifetime: lifetime.inSeconds, source: .policy)
    }
    if isShared, let seconds = control.seconds("s-maxage") {
      return HTTPFreshness(lifetime: Double(seconds), source: .sharedMaxAge)
    }
    if let seconds = control.seconds("max-age") {
      return HTTPFreshness(lifetime: Double(seconds), source: .maxAge)
    }
    if response.headers.contains(name: "Expires") {
      return HTTPFreshness(lifetime: expiry(of: response), source: .expires)
    }
    guard
      Self.heuristicallyCacheable.contains(response.status)
        || control.contains("public") && response.status < 500
    else { return HTTPFreshness(lifetime: 0, source: .none) }
    return heuristicFreshness(of: response)
  }

  /// The age of a response in seconds (§4.2.3), never negative.
  public func age(of response: HTTPStoredResponse, now: Date) -> Double {
    age(of: response, freshness(of: response), now: now)
  }

  private func age(of response: HTTPStoredResponse, _ freshness: HTTPFreshness, now: Date) -> Double {
    // A date in the future gives no age. A date has whole seconds, so the difference is rounded down: half a second
    // is no age.
    let apparentAge = max(0, response.responseDate.timeIntervalSince(response.date)).rounded(.down)
    let delay = max(0, response.responseDate.timeIntervalSince(response.requestDate))
    let correctedAge = Double(ageField(of: response)) + delay
    let residence = max(0, now.timeIntervalSince(response.responseDate))
    if case .policy = freshness.source { return residence }
    return max(apparentAge, correctedAge) + residence
  }

  /// The date until which a response may be served without asking: the end of its lifetime, or of the lifetime of a
  /// redirect that led to it. In the past if it must be validated each time.
  public func freshUntil(_ response: HTTPStoredResponse) -> Date {
    freshUntil(response, response.cacheControl)
  }

  /// The same for a caller that has read the directives.
  func freshUntil(_ response: HTTPStoredResponse, _ control: CacheControl) -> Date {
    let freshness = freshness(of: response, control)
    if freshness.source != .policy, control.demandsValidation { return .distantPast }
    let left = freshness.lifetime - age(of: response, freshness, now: response.responseDate)
    let deadline = min(response.responseDate.addingTimeInterval(left), HTTPDate.representable.upperBound)
    guard freshness.source != .policy, let redirects = response.redirectsFreshUntil else { return deadline }
    return min(deadline, redirects)
  }

  /// The same, and in the past for a response that is dated in the future.
  func freshUntil(_ response: HTTPStoredResponse, now: Date) -> Date {
    Self.isDatedInFuture(response.responseDate, now: now) ? .distantPast : freshUntil(response)
  }

  /// How many seconds ago a response became stale; negative as long as it is fresh, infinite if nobody knows.
  package func staleness(of response: HTTPStoredResponse, now: Date) -> Double {
    Self.isDatedInFuture(response.responseDate, now: now)
      ? .infinity : now.timeIntervalSince(freshUntil(response))
  }

  /// Whether a response arrived after now. Then the clock was set back, or was wrong when it arrived, and its age is not
  /// known. A second is the precision of dates in HTTP.
  package static func isDatedInFuture(_ receptionDate: Date, now: Date) -> Bool {
    receptionDate.timeIntervalSince(now) > 1
  }

  /// The statuses that may get a heuristic lifetime (RFC 9110 §15.1). 206 is missing, because partial content is
  /// not stored as a response. 501 is missing, because server errors get no heuristic lifetime.
  static let heuristicallyCacheable: Set<Int> = [200, 203, 204, 300, 301, 308, 404, 405, 410, 414]

  private func expiry(of response: HTTPStoredResponse) -> Double {
    // Two different values are not reliable.
    let values = Set(response.headers.values(for: "Expires"))
    guard values.count == 1, let text = values.first,
      let date = HTTPDate.date(from: text, now: response.responseDate)
    else { return 0 }
    return max(0, date.timeIntervalSince(response.date))
  }

  private func heuristicFreshness(of response: HTTPStoredResponse) -> HTTPFreshness {
    let isNegative = response.status == 404 || response.status == 410
    let bound = min(
      maximumHeuristicLifetime.inSeconds, isNegative ? maximumNegativeLifetime.inSeconds : .infinity)
    guard let text = response.lastModified, let modified = HTTPDate.date(from: text) else {
      let lifetime = min(bound, defaultLifetime.inSeconds)
      return HTTPFreshness(lifetime: lifetime, source: lifetime > 0 ? .assumed : .none)
    }
    let unchanged = max(0, response.date.timeIntervalSince(modified))
    return HTTPFreshness(lifetime: min(bound, unchanged * heuristicFraction), source: .lastModified)
  }

  /// The `Age` field (§5.1): the first element of a list; ignored if it is not a number.
  private func ageField(of response: HTTPStoredResponse) -> Int {
    let first = response.headers.first("Age").flatMap { HTTPList.elements(of: $0).first }
    return first.flatMap(DeltaSeconds.parse) ?? 0
  }
}

extension Duration {
  /// The duration in seconds.
  var inSeconds: Double { self / .seconds(1) }
}
