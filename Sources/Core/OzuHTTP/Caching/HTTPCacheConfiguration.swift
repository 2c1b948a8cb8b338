import OzuBase

/// The settings of an `HTTPCache`.
public struct HTTPCacheConfiguration: Sendable {
  /// The rules. A request may use others.
  public var policy = HTTPCachePolicy()
  /// The parts of URLs that are not part of the key.
  public var keyRules: [CacheKeyRule] = []
  /// When failed exchanges are retried. Never by default.
  public var retryPolicy = HTTPRetryPolicy.none
  /// Whether the bodies of answers with a status of 400 or higher are kept and returned. If not, an error page
  /// costs no memory.
  public var keepsErrorBodies = true
  /// The fewest bytes of a broken transfer that are kept, to be resumed. 16 KB by default; `Int.max` keeps nothing.
  public var minimumPartialByteCount = 16 << 10
  /// Which bodies are kept in files instead of memory while they arrive: by default those above 8 MB.
  public var spooling = HTTPSpoolingConfiguration()
  /// Changes requests just before they are sent, for example to sign them.
  public var preparation: (any HTTPRequestPreparing)?
  /// The clock for freshness and age.
  public var currentDate: @Sendable () -> Date = { Date() }
  /// The clock for time limits that cover more than one exchange of the client.
  public var now: @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
  /// Waits before a retry.
  public var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  /// A number from 0 to 1 that spreads retries.
  public var randomFraction: @Sendable () -> Double = { Double.random(in: 0...1) }

  /// Describes an error of `preparation` in one line. A caller that links all of Foundation can give better texts for
  /// Foundation's errors.
  package var errorText: @Sendable (any Error) -> String = { PrintableText.oneLine("\($0)") }

  /// Makes the default settings.
  public init() {}
}

/// Changes requests just before they are sent: for signatures, tokens or tracing.
///
/// Its changes do not change the key under which the answer is stored. Credentials that it adds stay at the origin
/// that they were made for: after a redirect it is called again, with the new URL.
public protocol HTTPRequestPreparing: Sendable {
  /// Returns the request to send instead. URL and method should not change. The cache decides about redirects, and
  /// the limit on the body can only be lowered.
  ///
  /// - Throws: to cancel the exchange. It then fails with `HTTPError.Reason.invalidRequest`, or with the
  ///   `HTTPError` that is thrown.
  func willSend(_ request: HTTPRequest) async throws -> HTTPRequest
}

/// An answer from an `HTTPCache`.
public struct HTTPCachedResponse: Sendable {
  /// Status, fields, and the URL that answered.
  public let head: HTTPResponseHead
  /// The whole body, or the requested part. A large one is mapped from a file without a name, which disappears with
  /// the data (`HTTPSpoolingConfiguration`).
  public let body: Data
  /// The place that the answer came from, and the reason.
  public let decision: HTTPDecision
  /// The date until which it may be served again without asking the origin; in the past if it may not.
  public let freshUntil: Date
  /// When the origin sent it or confirmed it last, by the clock of the cache.
  package let receptionDate: Date
  /// Whether a result made from it may be used when the origin cannot be reached.
  package let mayUseOffline: Bool
  /// An identity of the body: equal bodies have equal identities. Empty for an answer that may not be stored.
  public let bodyIdentity: String
  /// The reason why the cache may not store it, or nil if it may or has.
  public let reasonNotStored: String?
  /// The entry to store, if the caller wants to store it itself.
  public let unstored: HTTPCacheEntry?

  /// The status code.
  public var status: Int { head.status }
}

/// Which bodies are kept in files instead of memory while they arrive, and where.
///
/// A thread of its own writes such a body while it arrives. If the disk is slower than the network, the transfer is
/// slowed down, so that at most about a megabyte waits in memory (over HTTP/2, libcurl may hold another 32 MB of a
/// stream, its window). The complete body is `Data` that is mapped from the file. The files have no names: they
/// disappear with the last `Data` or with the process. Only the file of a body that can be resumed has a name while
/// it arrives, for the next process (`partialBodyDelay`). If no file can be made, because the disk is full or the
/// folder is missing or read-only, the body stays in memory.
public struct HTTPSpoolingConfiguration: Sendable, Hashable {
  /// The largest body that is kept in memory, in bytes. Default: 8 MB. `Int.max` keeps all bodies in memory.
  public var threshold: Int
  /// Larger bodies whose length is announced stay in memory too, as long as all of them together have at most this many bytes
  /// there: while they arrive, and until nobody uses them. 0 by default.
  public var sharedMemoryByteCount = 0
  /// The folder for the files. Nil, the default, uses the folder of the cache's storage. Without a folder, bodies
  /// stay in memory.
  public var directory: String?

  /// After this time a smaller body goes to a file too, if it can be resumed. Default: one second.
  ///
  /// The file of such a body has a name while it arrives. If the process is killed, the next process continues from
  /// there; at most the bytes of this time are lost.
  public var partialBodyDelay: Duration

  /// Makes a configuration.
  public init(threshold: Int = 8 << 20, directory: String? = nil, partialBodyDelay: Duration = .seconds(1)) {
    self.threshold = max(0, threshold)
    self.directory = directory
    self.partialBodyDelay = partialBodyDelay
  }

  /// Removes the beginnings of bodies that killed processes left in a folder, for callers that empty a cache there.
  /// Files that are being written stay. Blocks.
  public static func removePartialBodies(in directory: String) {
    _ = HTTPSpoolFile.sweep(directory: directory, now: .distantFuture)
  }
}
