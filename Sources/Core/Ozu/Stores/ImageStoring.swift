import OzuBase

/// A store below memory. It keeps originals, finished pictures and small entries of the pipeline, by key.
///
/// The disk cache is the first store (`ImagePipeline.Configuration.Caching.diskStorage`).
/// `ImagePipeline.Configuration.Caching.stores` adds others, such as a database, a shared folder or a server. A store must
/// implement `read`, `write`, `remove` and the two forms of `removeAll`; the rest have defaults.
///
/// - **Blocking is allowed.** Calls come from the pipeline's own threads, several at once, and never from a caller's
///   thread or Swift's cooperative pool. `mayContain` and `evictionCounts` may be called on any thread and must not
///   wait. If the app itself calls blocking API (`ImagePipeline.cache`, `CacheFormat.diskByteCount`), its thread waits.
/// - **Errors are harmless.** A call that throws counts as a miss. The pipeline continues with the next store, and
///   calls `ImagePipeline.Configuration.Caching.onStoreError` once for each kind of operation.
/// - **Whole or absent.** `read` returns an entry as it was written, or `nil`: never a half-written entry, nor the
///   metadata of one write with the body of another. The pipeline does not check this. A store may drop an entry at
///   any time, and need not keep every kind.
/// - **Never out of date.** After a `write` has thrown, the pipeline calls `remove`. If an entry could not be
///   removed, this process does not ask for it any more; other processes may.
public protocol ImageStoring: Sendable {
  /// The name of the store in messages. By default the name of its type.
  var name: String { get }

  /// Whether the store may have an entry. Must never wait, neither for a file nor for a lock that may be held for
  /// long, because it is called on every thread, also on the main thread. Returns true if that is not known, which is
  /// the default. A store that can tell saves loads a read.
  func mayContain(_ key: ImageStoreKey) -> Bool

  /// The entry of a key; `nil` if there is none. Counts as a use.
  func read(_ key: ImageStoreKey) throws -> ImageStoreEntry?

  /// The same without counting as a use. Calls `read` by default.
  func peek(_ key: ImageStoreKey) throws -> ImageStoreEntry?

  /// Whether a key has an entry. By default, whether it has metadata.
  func contains(_ key: ImageStoreKey) throws -> Bool

  /// The metadata of a key's entry; `nil` if there is none. By default read together with the body.
  func metadata(of key: ImageStoreKey) throws -> Data?

  /// Replaces the metadata of an entry and keeps its body, in one step: no other write of the key may happen in
  /// between.
  ///
  /// By default nothing is changed, and the caller writes the whole entry. A store that would have to read the body
  /// and write it again must not do so: another machine may have written a newer body meanwhile, which would be lost.
  ///
  /// - Returns: whether the entry exists and has this metadata now.
  func updateMetadata(_ metadata: Data, of key: ImageStoreKey) throws -> Bool

  /// Stores an entry, and replaces the former one of the key.
  func write(_ entry: ImageStoreEntry, for key: ImageStoreKey) throws

  /// Marks an entry as used now. Marks nothing by default.
  ///
  /// - Returns: whether the entry may exist. The pipeline calls `contains` from time to time where it must know that.
  func touch(_ key: ImageStoreKey) throws -> Bool

  /// Removes the entry of a key, if there is one.
  func remove(_ key: ImageStoreKey) throws

  /// Removes all entries of a kind.
  func removeAll(of kind: ImageStoreKind) throws

  /// Removes all entries.
  func removeAll() throws

  /// The entries of a kind, or of all kinds for `nil`, the most recently used first. They may be looked up during the
  /// iteration.
  ///
  /// Used to preload cache formats, and to remove a picture in sizes that this process does not know. Empty by
  /// default.
  func entries(of kind: ImageStoreKind?) throws -> any Sequence<ImageStoreInfo> & Sendable

  /// Sets how many bytes the entries of a kind may take. Does nothing by default.
  func setCapacity(_ byteCount: Int, of kind: ImageStoreKind)

  /// The bytes that the entries of a kind take; 0, the default, if that is not known.
  func byteCount(of kind: ImageStoreKind) -> Int

  /// The number of evicted entries of each kind. Must never wait. Empty by default.
  var evictionCounts: [ImageStoreKind: Int] { get }

  /// Writes all entries to permanent storage. Does nothing by default.
  func flush() throws

  /// A folder for temporary files with large bodies during a transfer, on the medium where they will be stored;
  /// `nil`, the default, for the temporary folder.
  var spoolDirectory: String? { get }
}

extension ImageStoring {
  /// Returns the name of the type.
  public var name: String { "\(Self.self)" }

  /// Returns true.
  public func mayContain(_ key: ImageStoreKey) -> Bool { true }

  /// Calls `read`.
  public func peek(_ key: ImageStoreKey) throws -> ImageStoreEntry? { try read(key) }

  /// Returns whether the key has metadata.
  public func contains(_ key: ImageStoreKey) throws -> Bool { try metadata(of: key) != nil }

  /// Reads the whole entry and returns its metadata.
  public func metadata(of key: ImageStoreKey) throws -> Data? { try peek(key)?.metadata }

  /// Returns false, so that the caller writes the whole entry.
  public func updateMetadata(_ metadata: Data, of key: ImageStoreKey) throws -> Bool { false }

  /// Returns whether there may be an entry, and marks nothing.
  public func touch(_ key: ImageStoreKey) throws -> Bool { mayContain(key) }

  /// None.
  public func entries(of kind: ImageStoreKind?) throws -> any Sequence<ImageStoreInfo> & Sendable {
    [ImageStoreInfo]()
  }

  /// Does nothing.
  public func setCapacity(_ byteCount: Int, of kind: ImageStoreKind) {}

  /// Zero.
  public func byteCount(of kind: ImageStoreKind) -> Int { 0 }

  /// None.
  public var evictionCounts: [ImageStoreKind: Int] { [:] }

  /// Does nothing.
  public func flush() throws {}

  /// None.
  public var spoolDirectory: String? { nil }
}

/// An error of a store. No request fails because of it: the store counts as having no entry.
public struct ImageStoreError: Error, Sendable {
  /// The operations that can fail.
  public enum Operation: String, Hashable, Sendable {
    /// Reading an entry.
    case read
    /// Writing or changing an entry.
    case write
    /// Removing entries.
    case remove
    /// Listing entries.
    case list
    /// Writing entries to permanent storage.
    case flush
  }

  /// The name of the store.
  public let level: String
  /// The operation that failed.
  public let operation: Operation
  /// The error that the store threw; `nil` if the operation was dropped because too many operations waited for the
  /// store, or because it took too long.
  public let underlying: (any Error)?
}

extension ImageStoreError: LocalizedError, CustomStringConvertible {
  /// One line such as `write SharedFolder: No space left on device`.
  public var description: String {
    // Reads do not wait in a queue.
    let reason = operation == .read ? "it did not answer in time" : "too many operations wait for it"
    return "\(operation.rawValue) \(level): \(underlying.map { "\($0)" } ?? reason)"
  }

  /// The description.
  public var errorDescription: String? { description }
}
