import Foundation
import Ozu
import OzuHTTP

/// The level of storage. Every call but the hint and `touch` blocks, for little more than the deadline at most, and throws
/// `S3Error`.
extension S3Store: ImageStoring {
  /// `s3`.
  public var name: String { "s3" }

  /// Whether the service is asked at all. What it has is not known here.
  public func mayContain(_ key: ImageStoreKey) -> Bool { keeps(key.kind) && isPermitting }

  /// The entry of a key.
  public func read(_ key: ImageStoreKey) throws -> ImageStoreEntry? {
    guard keeps(key.kind) else { return nil }
    let data: Data
    do throws(S3Error) {
      let (status, body) = try exchange(requests.get(requests.name(of: key)), accepted: [200, 404])
      guard status == 200 else {
        counts.count(\.misses)
        return nil
      }
      data = body
    } catch {
      // Larger than any entry: it is another's.
      if case .transport(let reason) = error, case .bodyTooLarge = reason.reason { return discard(key) }
      counts.count(\.misses)
      throw error
    }
    guard let entry = SharedEntry.decode(data, for: key) else { return discard(key) }
    counts.count(\.hits)
    return entry
  }

  /// Whether there is an object under a key.
  public func contains(_ key: ImageStoreKey) throws -> Bool {
    guard keeps(key.kind) else { return false }
    return try exchange(requests.head(requests.name(of: key)), accepted: [200, 404]).status == 200
  }

  /// The metadata of an entry, without its body where that is large.
  public func metadata(of key: ImageStoreKey) throws -> Data? {
    guard keeps(key.kind) else { return nil }
    let request = requests.get(requests.name(of: key), byteCount: 8 << 10)
    let (status, data) = try exchange(request, accepted: [200, 206, 404, 416])
    guard status == 200 || status == 206 else { return nil }
    do {
      guard let metadata = try SharedEntry.metadata(ofBeginning: data, for: key) else {
        _ = discard(key)
        return nil
      }
      return metadata
    } catch {
      return try read(key)?.metadata
    }
  }

  /// Keeps an entry, unless it is too large: then what the key had is removed.
  public func write(_ entry: ImageStoreEntry, for key: ImageStoreKey) throws {
    guard keeps(key.kind) else { return }
    guard let data = encoded(entry, for: key) else { return try remove(key) }
    _ = try exchange(
      requests.put(requests.name(of: key), data, isConditional: false), accepted: [200, 201, 204])
    counts.count(\.writes)
  }

  /// Keeps an entry where the key has none (`If-None-Match: *`), in one step: of several machines that write at the same
  /// time, one does.
  ///
  /// - Returns: whether it was written.
  public func writeIfAbsent(_ entry: ImageStoreEntry, for key: ImageStoreKey) throws -> Bool {
    guard keeps(key.kind), let data = encoded(entry, for: key) else { return false }
    let request = requests.put(requests.name(of: key), data, isConditional: true)
    // 409: another one is being written at this moment.
    let isWritten = try exchange(request, accepted: [200, 201, 204, 409, 412]).status < 300
    if isWritten { counts.count(\.writes) }
    return isWritten
  }

  /// Marks nothing, and asks nobody: a request for each use would cost more than it is worth.
  ///
  /// - Returns: whether there may be one.
  public func touch(_ key: ImageStoreKey) -> Bool { mayContain(key) }

  /// Removes an entry.
  public func remove(_ key: ImageStoreKey) throws {
    guard keeps(key.kind) else { return }
    _ = try exchange(requests.delete(requests.name(of: key)), accepted: [200, 204, 404])
  }

  /// Removes all entries of a kind, one after the other: a bucket that is large is emptied sooner by a rule of its own.
  public func removeAll(of kind: ImageStoreKind) throws {
    guard keeps(kind) else { return }
    try removeAll(beginningWith: requests.prefix(of: kind))
  }

  /// Removes all objects below the prefix, one after the other.
  public func removeAll() throws { try removeAll(beginningWith: configuration.keyPrefix) }

  private func removeAll(beginningWith prefix: String) throws {
    var token: String?
    // A thousand objects on each page.
    for _ in 0..<100_000 {
      let (_, body) = try exchange(requests.list(prefix: prefix, token: token), accepted: [200])
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
    let data = SharedEntry.encode(entry, for: key)
    guard data.count <= configuration.maximumEntryByteCount else {
      counts.count(\.tooLarge)
      return nil
    }
    return data
  }

  /// Has what is no entry of ours removed.
  private func discard(_ key: ImageStoreKey) -> ImageStoreEntry? {
    counts.count(\.damaged)
    counts.count(\.misses)
    news.tell(.damaged(node: node))
    _ = try? exchange(requests.delete(requests.name(of: key)), accepted: [200, 204, 404])
    return nil
  }
}
