import OzuSynchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension DiskCache {
  /// Starts storing an entry whose bytes come in pieces.
  ///
  /// ```swift
  /// let editor = cache.editor(forKey: key, label: url)
  /// for try await chunk in body { await editor.append(chunk) }
  /// await editor.commit()
  /// ```
  ///
  /// The key keeps its entry until `commit`. Any number of editors may be open, also for one key; the last commit
  /// wins.
  public func editor(
    forKey key: CacheKey, in partition: Partition = .default, metadata: Data = Data(), label: String? = nil
  ) -> Editor {
    Editor(
      store: store, queues: queues, key: key, partition: partition, metadata: metadata, label: label ?? "")
  }

  /// Stores an entry piece by piece. The first 64 KB (or half a segment, if that is less) are kept in memory. A
  /// longer entry is written to a file at once, which becomes the segment of the entry.
  ///
  /// An editor that is released without `commit` aborts. Calls may come from any thread; pieces are stored in the
  /// order of the calls. Every call has a synchronous form, which does I/O and blocks, and an `async` form.
  public final class Editor: Sendable {
    private enum State: ~Copyable {
      case buffered(Data)
      case spilled(SpilledRecord)
      /// A piece could not be kept.
      case failed
      case done
    }

    private let store: SegmentStore
    private let queues: SerialQueues
    private let key: CacheKey
    private let partition: Partition
    private let metadata: Data
    private let label: String
    private let state = Mutex(State.buffered(Data()))

    init(
      store: SegmentStore, queues: SerialQueues, key: CacheKey, partition: Partition, metadata: Data,
      label: String
    ) {
      self.store = store
      self.queues = queues
      self.key = key
      self.partition = partition
      self.metadata = metadata
      self.label = label.cut(toUTF8Count: 4096)
    }

    deinit { abort() }

    /// Adds bytes at the end of the entry.
    ///
    /// - Returns: Whether the entry can still be committed: false after `commit` or `abort`, after a failure, in a
    ///   cache that only reads, and if the entry exceeds a capacity.
    @discardableResult
    public func append(_ bytes: Data) -> Bool {
      state.withLock { state in
        switch consume state {
        case .done:
          state = .done
          return false
        case .failed:
          state = .failed
          return false
        case .buffered(var data):
          data.append(bytes)
          if data.count <= store.editorBufferLimit {
            state = .buffered(data)
            return true
          }
          guard
            let record = store.startSpilling(
              key: key, partition: partition, metadata: metadata, label: label),
            store.append(data, to: record)
          else {
            state = .failed
            return false
          }
          state = .spilled(record)
          return true
        case .spilled(let record):
          guard store.append(bytes, to: record) else {
            state = .failed
            return false
          }
          state = .spilled(record)
          return true
        }
      }
    }

    /// Stores the appended bytes as the key's entry.
    ///
    /// - Returns: Whether the entry was stored. If not, the key has no entry, unless the editor had ended before.
    @discardableResult
    public func commit() -> Bool {
      let ended = end()
      switch consume ended {
      case .done: return false
      case .failed:
        store.forget(key, in: partition)
        return false
      case .buffered(let data):
        return store.store(data, metadata: metadata, label: label, key: key, partition: partition)
      case .spilled(let record): return store.publish(record)
      }
    }

    /// Discards the appended bytes. The key keeps its entry.
    public func abort() {
      if case .spilled(let record) = end() { store.discard(record) }
    }

    /// Adds bytes at the end of the entry.
    ///
    /// - Returns: Whether the entry can still be committed.
    @discardableResult
    public func append(_ bytes: Data) async -> Bool {
      await queues.run(key) { self.append(bytes) }
    }

    /// Stores the appended bytes as the key's entry.
    ///
    /// - Returns: Whether the entry was stored.
    @discardableResult
    public func commit() async -> Bool {
      await queues.run(key) { self.commit() }
    }

    /// Discards the appended bytes. The key keeps its entry.
    public func abort() async {
      await queues.run(key) { self.abort() }
    }

    private func end() -> State {
      state.withLock { state in
        let former = consume state
        state = .done
        return former
      }
    }
  }
}

/// An unfinished entry in a file of its own.
///
/// The body is written at its final place, behind room for the headers. The headers are written last, and then the
/// file is renamed to the name of a segment. A file that a crash left has another name, and is removed at the next
/// opening.
final class SpilledRecord: Sendable {
  static let suffix = ".part"

  struct Progress {
    var checksum = Checksum64Stream()
    /// The bytes of the body so far.
    var count = 0
    var isDone = false
  }

  let key: CacheKey
  let partition: Partition
  let head: EntryHead
  let header: SegmentHeader
  let file: any OpenFile
  let progress = Mutex(Progress())

  init(
    key: CacheKey, partition: Partition, metadata: Data, label: String, header: SegmentHeader,
    file: any OpenFile
  ) {
    self.key = key
    self.partition = partition
    head = EntryHead(key: key, partition: partition, label: label, metadata: metadata)
    self.header = header
    self.file = file
  }

  var partName: String { header.fileName + Self.suffix }

  /// The offset of the body in the file.
  var bodyOffset: Int { SegmentHeader.byteCount + head.byteCount }
}
