import OzuBase

/// The outcomes of one call of `start`: the stream that reports them, and the use of the budget. One lock guards the
/// state.
final class PrefetchReport: Sendable {
  private struct State {
    var remaining: Int
    var downloadedByteCount = 0
    var memoryByteCount = 0
    /// The key of the first picture that memory has kept.
    var firstKey: ImageKey?
    var isExhausted = false
  }

  private let state: Mutex<State>
  private let budget: PrefetchBudget
  private let memory: MemoryLevel
  private let continuation: AsyncStream<ImagePrefetcher.Outcome>.Continuation

  init(
    expected: Int, budget: PrefetchBudget, memory: MemoryLevel,
    _ continuation: AsyncStream<ImagePrefetcher.Outcome>.Continuation
  ) {
    let isNothingAllowed = budget.downloadedByteCount.map { $0 <= 0 } ?? false
    state = Mutex(State(remaining: expected, isExhausted: isNothingAllowed))
    self.budget = budget
    self.memory = memory
    self.continuation = continuation
    if expected == 0 { continuation.finish() }
  }

  /// Whether no further request may begin.
  var isExhausted: Bool { state.withLock { $0.isExhausted } }

  /// Reports an outcome, and adds it to the use of the budget.
  ///
  /// - Parameter loaded: the picture that was loaded for memory, if one was.
  func add(_ outcome: ImagePrefetcher.Outcome, loaded: (key: ImageKey, byteCount: Int)? = nil) {
    // Memory refuses a picture that must not be stored or is too large. That says nothing of the others. Outside the
    // lock: the memory level may be the app's.
    let kept = loaded.flatMap { memory.contains($0.key) ? $0 : nil }
    let (takenByteCount, firstKey) = state.withLock { state in
      state.downloadedByteCount += outcome.downloadedByteCount
      state.memoryByteCount += kept?.byteCount ?? 0
      state.firstKey = state.firstKey ?? kept?.key
      if let limit = budget.downloadedByteCount, state.downloadedByteCount >= limit {
        state.isExhausted = true
      }
      return (state.memoryByteCount, state.firstKey)
    }
    if loaded != nil || firstKey != nil {
      let isFull = Double(takenByteCount) >= Double(memory.costLimit) * budget.memoryFraction
      let evictsOwn = firstKey.map { !memory.contains($0) } ?? false
      if isFull || evictsOwn { state.withLock { $0.isExhausted = true } }
    }
    // Outside the lock: `yield` wakes a reader, whose executor may be the app's. Before this outcome is counted, so
    // that the stream does not finish before its last element.
    continuation.yield(outcome)
    let isLast = state.withLock { state in
      state.remaining -= 1
      return state.remaining == 0
    }
    if isLast { continuation.finish() }
  }
}

/// The limits of one call of a prefetcher. No request begins when a limit is reached. Running requests continue, so a
/// limit may be exceeded by as many pictures as load at once.
public struct PrefetchBudget: Hashable, Sendable {
  /// The largest number of bytes to download; `nil` (the default) means no limit. Pictures from a cache cost nothing.
  public var downloadedByteCount: Int?
  /// The part of the memory cache that prefetched pictures may use together, from 0 to 1. A half by default, because
  /// pictures on screen need room too. Independent of this value, a prefetch to memory ends when the cache has begun
  /// to evict its pictures.
  public var memoryFraction: Double

  /// Makes a budget.
  public init(downloadedByteCount: Int? = nil, memoryFraction: Double = 0.5) {
    self.downloadedByteCount = downloadedByteCount
    self.memoryFraction = memoryFraction
  }
}
