import OzuBase

/// A stored response with its body.
public struct HTTPCacheEntry: Sendable, Hashable {
  /// The facts that the rules need.
  public var response: HTTPStoredResponse
  /// The whole body.
  public var body: Data

  /// Makes an entry.
  public init(response: HTTPStoredResponse, body: Data) {
    self.response = response
    self.body = body
  }
}

/// The place where an `HTTPCache` stores its responses: in memory, on disk, or elsewhere.
///
/// A storage may forget entries at any time. It must never return a body with another response than its own.
public protocol HTTPCacheStorage: Sendable {
  /// The variants stored under a key, in any order.
  func entries(for key: HTTPCacheKey) async -> [HTTPCacheEntry]

  /// Stores a response. `HTTPVariants` decides which stored responses it replaces.
  ///
  /// - Parameter old: the stored response that this one updates; `nil` for a new response.
  func store(_ entry: HTTPCacheEntry, replacing old: HTTPStoredResponse?, for key: HTTPCacheKey) async

  /// Replaces the head of a stored response, after a 304 (RFC 9111 §4.3.4). The body does not change and need not
  /// be written again.
  ///
  /// - Parameters:
  ///   - entry: the updated response with the stored body. A storage needs the body if it has lost the entry
  ///     meanwhile, or if it cannot change the head alone.
  ///   - old: the response as it is stored.
  func refresh(_ entry: HTTPCacheEntry, replacing old: HTTPStoredResponse, for key: HTTPCacheKey) async

  /// Removes every variant.
  func removeEntries(for key: HTTPCacheKey) async

  /// The beginning of a body whose transfer broke off.
  func partialBody(for key: HTTPCacheKey) async -> HTTPPartialBody?

  /// Stores the beginning of a body and replaces an earlier one; `nil` removes it.
  func setPartialBody(_ partial: HTTPPartialBody?, for key: HTTPCacheKey) async

  /// A folder for files with bodies that are arriving, on the device where they will be stored; nil for none.
  ///
  /// It is read when the first large body arrives, on a thread that may be blocked.
  var spoolDirectory: String? { get }
}

extension HTTPCacheStorage {
  /// Stores the whole entry again.
  public func refresh(
    _ entry: HTTPCacheEntry, replacing old: HTTPStoredResponse, for key: HTTPCacheKey
  ) async {
    await store(entry, replacing: old, for: key)
  }

  /// Returns nil: there is no folder.
  public var spoolDirectory: String? { nil }

  /// Returns nil: the storage keeps only whole bodies.
  public func partialBody(for key: HTTPCacheKey) async -> HTTPPartialBody? { nil }

  /// Does nothing.
  public func setPartialBody(_ partial: HTTPPartialBody?, for key: HTTPCacheKey) async {}
}

/// Decides which places the variants of one key take (RFC 9111 §4.1).
public enum HTTPVariants {
  /// The most variants of a key. The oldest is replaced.
  public static let maximumCount = 4

  /// The place for a response, and the places to empty.
  ///
  /// A response replaces the one that it updates, or one that was selected by the same fields. A response without
  /// `Vary` matches every request, so it replaces all others. The first that has the field replaces it: the origin has begun to tell
  /// requests apart, and responses with the field are preferred (§4.1).
  public static func place(
    for response: HTTPStoredResponse, replacing old: HTTPStoredResponse?,
    among occupied: [Int: HTTPStoredResponse]
  ) -> (place: Int, emptied: [Int]) {
    guard response.headers.contains(name: "Vary") else {
      return (0, occupied.keys.filter { $0 != 0 }.sorted())
    }
    let names = HTTPVary(response.headers).names
    let same = occupied.keys.sorted().filter { place in
      guard let other = occupied[place] else { return false }
      return other == old || !other.headers.contains(name: "Vary")
        || HTTPVary(other.headers).names == names
          && StoredFields.comparable(other.selectingHeaders)
            == StoredFields.comparable(response.selectingHeaders)
    }
    if let first = same.first { return (first, Array(same.dropFirst())) }
    if let free = (0..<maximumCount).first(where: { occupied[$0] == nil }) { return (free, []) }
    let oldest = occupied.min { $0.value.responseDate < $1.value.responseDate }
    return (oldest?.key ?? 0, [])
  }

  /// Whether the response that is stored in a place was asked for later than a new one: then it is the newer of the two, whichever
  /// arrives last, and stays. A date after the new one's own end is of a clock that was set back.
  package static func isOutdated(_ response: HTTPStoredResponse, by stored: HTTPStoredResponse?) -> Bool {
    guard let stored else { return false }
    return stored.requestDate > response.requestDate && stored.requestDate <= response.responseDate
  }
}
