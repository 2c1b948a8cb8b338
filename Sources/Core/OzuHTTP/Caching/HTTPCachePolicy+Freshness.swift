import OzuBase

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
    let control = response.cacheControl
    let freshness = freshness(of: response, control)
    if freshness.source != .policy, control.fieldNames("no-cache")?.isEmpty == true {
      return .distantPast
    }
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
  var inSeconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) * 1e-18
  }
}
