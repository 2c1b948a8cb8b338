import OzuText

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The settings of an `HTTPCache`.
public struct HTTPCacheConfiguration: Sendable {
  /// The rules. A request may bring others.
  public var policy = HTTPCachePolicy()
  /// Which parts of URLs do not count.
  public var keyRules: [CacheKeyRule] = []
  /// When failed exchanges are tried again. Never, by default.
  public var retryPolicy = HTTPRetryPolicy.none
  /// Whether bodies of answers with a status of 400 and more are kept and handed over. Without them, an error page
  /// costs no memory.
  public var keepsErrorBodies = true
  /// The fewest bytes of a broken transfer that are worth keeping. 16 KB; nothing is kept with `Int.max`.
  public var minimumPartialByteCount = 16 << 10
  /// Which bodies are kept in files instead of memory while they are under way: those above 8 MB.
  public var spooling = HTTPSpoolingConfiguration()
  /// Changes requests just before they are sent, for example to sign them.
  public var preparation: (any HTTPRequestPreparing)?
  /// The clock of freshness and age.
  public var currentDate: @Sendable () -> Date = { Date() }
  /// The clock of time limits that go beyond one exchange of the client.
  public var now: @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
  /// Waits before a retry.
  public var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  /// A number from 0 to 1 that spreads retries.
  public var randomFraction: @Sendable () -> Double = { Double.random(in: 0...1) }

  /// The words for what `preparation` throws, in one line. Who links all of Foundation has better ones for its errors.
  package var errorText: @Sendable (any Error) -> String = { PrintableText.oneLine("\($0)") }

  /// Makes the default settings.
  public init() {}
}

/// Changes requests just before they go out: signatures, tokens, tracing.
///
/// What it adds does not change under which key the answer is stored. Credentials that it adds stay at the origin
/// they were made for: after a redirect it is asked again, with the URL that is really meant.
public protocol HTTPRequestPreparing: Sendable {
  /// The request to send in place of another. URL and method should stay; what becomes of redirects is the cache's
  /// affair, and the limit on the body can only be lowered.
  ///
  /// - Throws: to give up; the exchange fails with `HTTPError.Reason.invalidRequest`, or with the `HTTPError` that
  ///   is thrown.
  func willSend(_ request: HTTPRequest) async throws -> HTTPRequest
}

/// An answer that came through an `HTTPCache`.
public struct HTTPCachedResponse: Sendable {
  /// Status, fields, and the URL that answered.
  public let head: HTTPResponseHead
  /// The whole body, or the part that was asked for. A large one is mapped from a file without a name, which goes
  /// with it (`HTTPSpoolingConfiguration`).
  public let body: Data
  /// Where it came from, and why.
  public let decision: HTTPDecision
  /// Until when it may be served again without asking; in the past where that is never.
  public let freshUntil: Date
  /// Whether what is made of it may stand in for an origin that cannot be reached.
  package let mayOutlive: Bool
  /// Tells one body from another: equal bodies have equal identities.
  public let bodyIdentity: String
  /// Why the cache may not keep it, or nil when it may or does.
  public let reasonNotStored: String?
  /// What is to be stored, if storing was left to the caller.
  public let unstored: HTTPCacheEntry?

  /// The status code.
  public var status: Int { head.status }
}
