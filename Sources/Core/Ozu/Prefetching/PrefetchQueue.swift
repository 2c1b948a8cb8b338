/// The waiting and running requests of a prefetcher, by key: the most urgent first, and of equal priority the oldest
/// first. A value; the prefetcher has the lock.
struct PrefetchQueue: ~Copyable {
  struct Entry: Queued {
    var request: ImageRequest
    var reports: [PrefetchReport]
    var isRunning = false
    var task: Task<Void, Never>?
    var position = StationQueue.Position()
  }

  var isPaused = false
  private let width: Int
  private var entries = SlotMap<Entry>()
  private var places: [JobKey: Int] = [:]
  private var waiting = StationQueue()
  private var runningCount = 0
  private var lastTurn = 0

  init(width: Int) {
    self.width = width
  }

  var count: Int { entries.count }

  var isReady: Bool { !isPaused && runningCount < width && waiting.count > 0 }

  mutating func add(_ request: ImageRequest, _ report: PrefetchReport) {
    if let place = places[request.prefetchKey] {
      entries[place].reports.append(report)
      guard !entries[place].isRunning, request.priority > entries[place].request.priority else { return }
      waiting.remove(place, in: &entries)
      entries[place].request.priority = request.priority
      return enqueue(place, request.priority)
    }
    let place = entries.insert(Entry(request: request, reports: [report]))
    places[request.prefetchKey] = place
    enqueue(place, request.priority)
  }

  private mutating func enqueue(_ place: Int, _ priority: ImagePriority) {
    lastTurn += 1
    waiting.append(place, priority: priority, size: 0, turn: lastTurn, in: &entries)
  }

  /// The request to begin, with the identifier of its entry. Its load knows the entry by that, not by the key: when
  /// the entry has been removed, another one may have the key.
  mutating func takeNext() -> (id: SlotID, request: ImageRequest)? {
    guard isReady, let place = waiting.next(in: entries) else { return nil }
    waiting.remove(place, in: &entries)
    runningCount += 1
    entries[place].isRunning = true
    return (entries.id(at: place), entries[place].request)
  }

  /// - Returns: whether the entry is still there.
  mutating func setTask(_ task: Task<Void, Never>, for id: SlotID) -> Bool {
    guard entries.contains(id) else { return false }
    entries[id.index].task = task
    return true
  }

  mutating func remove(_ id: SlotID) -> Entry? {
    entries.contains(id) ? remove(entries[id.index].request.prefetchKey) : nil
  }

  mutating func remove(_ key: JobKey) -> Entry? {
    guard let place = places.removeValue(forKey: key) else { return nil }
    if entries[place].isRunning { runningCount -= 1 } else { waiting.remove(place, in: &entries) }
    return entries.remove(at: place)
  }

  mutating func removeAll(but kept: Set<JobKey> = []) -> [Entry] {
    places.keys.filter { !kept.contains($0) }.compactMap { remove($0) }
  }

  /// Removes the waiting requests whose budgets are used up.
  ///
  /// - Complexity: O(count).
  mutating func removeExhausted() -> [Entry] {
    let keys = places.filter { _, place in
      !entries[place].isRunning && entries[place].reports.allSatisfy(\.isExhausted)
    }.keys
    return keys.compactMap { remove($0) }
  }
}
