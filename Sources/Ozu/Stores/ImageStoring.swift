import Foundation

/// One level of storage below memory: originals, finished pictures and small entries of the pipeline's own, by key.
///
/// The disk cache is the first level (`ImagePipeline.Configuration.Caching.diskStorage`); `ImagePipeline.Configuration.Caching.stores`
/// adds others, such as a database, a shared folder or a server. Four functions and a half are needed; the rest have
/// defaults.
///
/// - **Blocking is allowed.** Calls come from threads of the pipeline's own, several at once, and never from a caller's
///   thread or Swift's cooperative pool. `mayContain` and `evictionCounts`, which come from anywhere, must not wait. An
///   app that itself calls what blocks (`ImagePipeline.cache`, `CacheFormat.diskByteCount`) is the one who waits.
/// - **Errors are harmless.** A call that throws counts as a miss. The pipeline goes on with the next level, and tells
///   `ImagePipeline.Configuration.Caching.onStoreError` once for each kind of trouble.
/// - **Whole or absent.** `read` gives an entry as it was written, or nothing: never one half written, nor the metadata of
///   one write with the body of another. Nothing above checks it. A level may forget an entry at any time, and need not
///   keep every kind.
/// - **Never out of date.** After a `write` that threw the pipeline calls `remove`, and what could not be removed it does
///   not ask for any more. Other processes may.
public protocol ImageStoring: Sendable {
  /// The name of the level in messages. By default that of its type.
  var name: String { get }

  /// Whether the level may have an entry. Never waits, neither for a file nor for a lock that is held meanwhile: it is
  /// called on every thread, a main thread among them. True where that is not known, which is the default; a
  /// level that can tell saves loads a question.
  func mayContain(_ key: ImageStoreKey) -> Bool

  /// The entry of a key; `nil` when there is none. Counts as a use of it.
  func read(_ key: ImageStoreKey) throws -> ImageStoreEntry?

  /// The same without counting as a use. By default `read`.
  func peek(_ key: ImageStoreKey) throws -> ImageStoreEntry?

  /// Whether a key has an entry. By default whether it has metadata.
  func contains(_ key: ImageStoreKey) throws -> Bool

  /// The metadata of a key's entry; `nil` when there is none. By default read with the body.
  func metadata(of key: ImageStoreKey) throws -> Data?

  /// Gives an entry other metadata and leaves its body, in one step: nobody may give the key another body in between.
  ///
  /// By default nothing is changed, and the caller writes the whole entry. A level that would have to read the body and
  /// write it again must not do so: another machine may have written a newer one meanwhile, and would lose it.
  ///
  /// - Returns: whether there is an entry and it has this metadata now.
  func updateMetadata(_ metadata: Data, of key: ImageStoreKey) throws -> Bool

  /// Keeps an entry in the place of what the key had.
  func write(_ entry: ImageStoreEntry, for key: ImageStoreKey) throws

  /// Marks an entry as used now. By default nothing is marked.
  ///
  /// - Returns: whether there is one.
  func touch(_ key: ImageStoreKey) throws -> Bool

  /// Removes the entry of a key, if there is one.
  func remove(_ key: ImageStoreKey) throws

  /// Removes all entries of a kind.
  func removeAll(of kind: ImageStoreKind) throws

  /// Removes all entries.
  func removeAll() throws

  /// The entries of a kind, or of all, those used last first. They may be looked up as the iteration comes to them.
  ///
  /// It serves formats that are preloaded, and the removal of a picture in sizes that this process has not heard of. By
  /// default none are listed.
  func entries(of kind: ImageStoreKind?) throws -> any Sequence<ImageStoreInfo> & Sendable

  /// Says how many bytes the entries of a kind may take. By default nothing happens.
  func setCapacity(_ byteCount: Int, of kind: ImageStoreKind)

  /// The bytes that the entries of a kind take; 0, the default, where that is not known.
  func byteCount(of kind: ImageStoreKind) -> Int

  /// How many entries of each kind were given up to make room. Never waits. By default none are counted.
  var evictionCounts: [ImageStoreKind: Int] { get }

  /// Makes what was written outlast the process. By default it does already.
  func flush() throws

  /// A folder for files that hold large bodies while they come, on the medium where they will be stored; `nil`, the
  /// default, for the temporary folder.
  var spoolDirectory: String? { get }
}

extension ImageStoring {
  /// The name of the type.
  public var name: String { "\(Self.self)" }

  /// True: it is not known.
  public func mayContain(_ key: ImageStoreKey) -> Bool { true }

  /// The same as `read`.
  public func peek(_ key: ImageStoreKey) throws -> ImageStoreEntry? { try read(key) }

  /// Whether the key has metadata.
  public func contains(_ key: ImageStoreKey) throws -> Bool { try metadata(of: key) != nil }

  /// The metadata of the whole entry.
  public func metadata(of key: ImageStoreKey) throws -> Data? { try peek(key)?.metadata }

  /// False: the caller writes the whole entry.
  public func updateMetadata(_ metadata: Data, of key: ImageStoreKey) throws -> Bool { false }

  /// Only whether there is an entry.
  public func touch(_ key: ImageStoreKey) throws -> Bool { try contains(key) }

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
