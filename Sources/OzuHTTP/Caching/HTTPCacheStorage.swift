#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A stored response with its body.
public struct HTTPCacheEntry: Sendable, Hashable {
  /// What the rules need to know.
  public var response: HTTPStoredResponse
  /// The whole body.
  public var body: Data

  /// Makes an entry.
  public init(response: HTTPStoredResponse, body: Data) {
    self.response = response
    self.body = body
  }
}

/// Where an `HTTPCache` keeps its responses: in memory, on disk, or anywhere.
///
/// A storage may forget at any time, and must never make up or mix: a body belongs to the response it came with.
public protocol HTTPCacheStorage: Sendable {
  /// The variants stored under a key, in any order.
  func entries(for key: HTTPCacheKey) async -> [HTTPCacheEntry]

  /// Stores a response; `HTTPVariants` says which of the stored ones it takes the place of.
  ///
  /// - Parameter old: the stored response that this one is the new state of; `nil` for a new response.
  func store(_ entry: HTTPCacheEntry, replacing old: HTTPStoredResponse?, for key: HTTPCacheKey) async

  /// Gives a stored response a new head, as a 304 asks for (RFC 9111 §4.3.4). Its body is the same as before, and need
  /// not be written again.
  ///
  /// - Parameters:
  ///   - entry: the response as it is from now on, with the body that is stored, for a storage that has lost it
  ///     meanwhile or cannot change one without the other.
  ///   - old: the response as it is stored.
  func refresh(_ entry: HTTPCacheEntry, replacing old: HTTPStoredResponse, for key: HTTPCacheKey) async

  /// Removes every variant.
  func removeEntries(for key: HTTPCacheKey) async

  /// The beginning of a body whose transfer broke off.
  func partialBody(for key: HTTPCacheKey) async -> HTTPPartialBody?

  /// Keeps the beginning of a body, in place of an earlier one; `nil` removes it.
  func setPartialBody(_ partial: HTTPPartialBody?, for key: HTTPCacheKey) async

  /// A folder for files that hold bodies while they come, on the medium where they will be stored; nil for none.
  ///
  /// It is asked for when the first large body comes, on a thread that may be held up.
  var spoolDirectory: String? { get }
}

extension HTTPCacheStorage {
  /// Stores the whole again.
  public func refresh(
    _ entry: HTTPCacheEntry, replacing old: HTTPStoredResponse, for key: HTTPCacheKey
  ) async {
    await store(entry, replacing: old, for: key)
  }

  /// None.
  public var spoolDirectory: String? { nil }

  /// None: the storage keeps whole bodies only.
  public func partialBody(for key: HTTPCacheKey) async -> HTTPPartialBody? { nil }

  /// Keeps nothing.
  public func setPartialBody(_ partial: HTTPPartialBody?, for key: HTTPCacheKey) async {}
}

/// Which places the variants of one key take (RFC 9111 §4.1).
public enum HTTPVariants {
  /// How many variants of a key are kept. The oldest gives way.
  public static let maximumCount = 4

  /// The place for a response among the occupied ones, and the places to empty.
  ///
  /// It takes the place of the response it is the new state of, or of one that was chosen by the same fields. A
  /// response without `Vary` answers everything and leaves no other.
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
      return other == old
        || HTTPVary(other.headers).names == names
          && StoredFields.comparable(other.selectingHeaders)
            == StoredFields.comparable(response.selectingHeaders)
    }
    if let first = same.first { return (first, Array(same.dropFirst())) }
    if let free = (0..<maximumCount).first(where: { occupied[$0] == nil }) { return (free, []) }
    let oldest = occupied.min { $0.value.responseDate < $1.value.responseDate }
    return (oldest?.key ?? 0, [])
  }
}
