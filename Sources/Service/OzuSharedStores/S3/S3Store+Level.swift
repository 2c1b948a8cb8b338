import Ozu
import OzuBase
import OzuHTTP

/// The level of storage. Every call except `mayContain` and `touch` blocks, for little more than the deadline at
/// most, and throws `S3Error`. A read that finds something else than the entry removes it, which may take as long again.
extension S3Store: ImageStoring {
  /// `s3`.
  public var name: String { "s3" }

  /// Whether the service gets requests now. Does not say whether it has the key.
  public func mayContain(_ key: ImageStoreKey) -> Bool { keeps(key.kind) && isPermitting }

  /// The entry of a key.
  public func read(_ key: ImageStoreKey) throws -> ImageStoreEntry? {
    guard keeps(key.kind) else { return nil }
    let answer: Answer
    do throws(S3Error) {
      answer = try exchange(requests.get(requests.name(of: key)), accepted: [200, 404])
      guard answer.status == 200 else {
        counts.count(\.misses)
        return nil
      }
    } catch {
      // The object is larger than any entry, so it belongs to another program.
      if case .transport(let reason) = error, reason.isOfSize { return discard(key, tag: nil) }
      counts.count(\.misses)
      throw error
    }
    let secret = configuration.authenticationKey
    guard let entry = SharedEntry.decode(answer.body, for: key, by: secret) else {
      return discard(key, tag: answer.tag)
    }
    counts.count(\.hits)
    return entry
  }

  /// The metadata of an entry, without its body if that is large.
  public func metadata(of key: ImageStoreKey) throws -> Data? {
    guard keeps(key.kind) else { return nil }
    let request = requests.get(requests.name(of: key), byteCount: 8 << 10)
    let answer = try exchange(request, accepted: [200, 206, 404, 416])
    guard answer.status == 200 || answer.status == 206 else { return nil }
    do {
      let secret = configuration.authenticationKey
      guard let metadata = try SharedEntry.metadata(ofBeginning: answer.body, for: key, by: secret) else {
        _ = discard(key, tag: answer.tag)
        return nil
      }
      return metadata
    } catch {
      return try read(key)?.metadata
    }
  }

  /// Stores an entry. If it is too large, the key's former entry is removed instead.
  public func write(_ entry: ImageStoreEntry, for key: ImageStoreKey) throws {
    guard keeps(key.kind) else { return }
    guard let data = encoded(entry, for: key) else { return try remove(key) }
    _ = try exchange(requests.put(requests.name(of: key), data), accepted: [200, 201, 204])
    counts.count(\.writes)
  }

  /// Does nothing: a request for each use would cost more than it is worth.
  ///
  /// - Returns: whether there may be an entry.
  public func touch(_ key: ImageStoreKey) -> Bool { mayContain(key) }

  /// Removes an entry.
  public func remove(_ key: ImageStoreKey) throws {
    guard keeps(key.kind) else { return }
    _ = try exchange(requests.delete(requests.name(of: key)), accepted: [200, 204, 404])
  }

  /// Removes all entries of a kind, one after another. A lifecycle rule empties a large bucket faster.
  public func removeAll(of kind: ImageStoreKind) throws {
    guard keeps(kind) else { return }
    try removeAll(beginningWith: requests.prefix(of: kind))
  }

  /// Removes all objects with the prefix, one after another.
  public func removeAll() throws { try removeAll(beginningWith: configuration.keyPrefix) }

  private func removeAll(beginningWith prefix: String) throws {
    var token: String?
    // Each page has a thousand objects.
    for _ in 0..<100_000 {
      let body = try exchange(requests.list(prefix: prefix, token: token), accepted: [200]).body
      let listing = try S3Listing(String(decoding: body, as: UTF8.self))
      for name in listing.keys where name.hasPrefix(prefix) && S3Configuration.isPlain(name) {
        _ = try exchange(requests.delete(name), accepted: [200, 204, 404])
      }
      guard let next = listing.nextToken else { return }
      token = next
    }
    throw S3Error.malformedListing("it does not end")
  }

  private func encoded(_ entry: ImageStoreEntry, for key: ImageStoreKey) -> Data? {
    let data = SharedEntry.encode(entry, for: key, by: configuration.authenticationKey)
    guard data.count <= configuration.maximumEntryByteCount else {
      counts.count(\.tooLarge)
      return nil
    }
    return data
  }

  /// Removes an object that is not a valid entry, unless another machine has written a new one meanwhile. A service that does not
  /// know conditions for this method removes it in any case.
  ///
  /// - Parameter tag: the entity tag of what was read; `nil` if it is not known.
  private func discard(_ key: ImageStoreKey, tag: String?) -> ImageStoreEntry? {
    counts.count(\.damaged)
    counts.count(\.misses)
    reporter.report(.damaged(node: node))
    let request = requests.delete(requests.name(of: key), ifTagIs: tag)
    _ = try? exchange(request, accepted: [200, 204, 404, 409, 412])
    return nil
  }
}
