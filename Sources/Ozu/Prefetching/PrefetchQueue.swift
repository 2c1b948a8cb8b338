/// What waits and what is under way, by key. A value; the prefetcher has the lock.
struct PrefetchQueue {
  struct Entry {
    let request: ImageRequest
    var reports: [PrefetchReport]
    /// Its number in the line; `nil` once it is under way.
    var place: Int?
    var task: Task<Void, Never>?
  }

  var isPaused = false
  private let width: Int
  private var entries: [PipelineParts.JobKey: Entry] = [:]
  private var waiting = PriorityFIFO<PipelineParts.JobKey>()
  private var runningCount = 0

  init(width: Int) {
    self.width = width
  }

  var count: Int { entries.count }

  /// Whether one more could be begun.
  var isReady: Bool { !isPaused && runningCount < width && waiting.count > 0 }

  mutating func add(_ request: ImageRequest, _ report: PrefetchReport) {
    let key = PipelineParts.JobKey(request.key.rendition, request)
    if entries[key] != nil {
      entries[key]?.reports.append(report)
    } else {
      let place = waiting.append(key, priority: request.priority)
      entries[key] = Entry(request: request, reports: [report], place: place)
    }
  }

  mutating func takeNext() -> ImageRequest? {
    guard isReady, let key = waiting.popFirst() else { return nil }
    runningCount += 1
    entries[key]?.place = nil
    return entries[key]?.request
  }

  mutating func setTask(_ task: Task<Void, Never>, for key: PipelineParts.JobKey) -> Bool {
    guard entries[key] != nil else { return false }
    entries[key]?.task = task
    return true
  }

  mutating func remove(_ key: PipelineParts.JobKey) -> Entry? {
    guard let entry = entries.removeValue(forKey: key) else { return nil }
    if let place = entry.place { _ = waiting.remove(place) } else { runningCount -= 1 }
    return entry
  }

  mutating func removeAll() -> [Entry] {
    Array(entries.keys).compactMap { remove($0) }
  }

  /// Takes out what waits and has no budget any more.
  ///
  /// - Complexity: O(count).
  mutating func removeExhausted() -> [Entry] {
    let keys = entries.filter { $0.value.place != nil && $0.value.reports.allSatisfy(\.isExhausted) }.keys
    return keys.compactMap { remove($0) }
  }
}
