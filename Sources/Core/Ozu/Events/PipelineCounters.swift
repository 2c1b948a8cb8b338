import OzuBase

/// The counters of a pipeline. Each is independent and relaxed, so that counting never waits.
final class PipelineCounters: Sendable {
  /// The counters of one layer on disk.
  final class Layer: Sendable {
    let hits = Atomic(0)
    let misses = Atomic(0)
    let stores = Atomic(0)
    let readByteCount = Atomic(0)
    let writtenByteCount = Atomic(0)
  }

  let renditions = Layer()
  let originals = Layer()
  let encoded = Layer()
  /// Lookups in memory that repeat an earlier lookup of the same request.
  let repeatedHits = Atomic(0)
  let repeatedMisses = Atomic(0)
  let memoryStores = Atomic(0)

  let dataAnswers = Atomic(0)
  let encodedAnswers = Atomic(0)
  let decodes = Atomic(0)
  let encodes = Atomic(0)
  let coalesced = Atomic(0)
  let cancelled = Atomic(0)
  let networkLoads = Atomic(0)
  let networkFailures = Atomic(0)
  let downloadedByteCount = Atomic(0)
  let fetcherLoads = Atomic(0)
  let fileLoads = Atomic(0)
  let fileByteCount = Atomic(0)

  private let revalidated = Atomic(0)
  private let stale = Atomic(0)
  private let derived = Atomic(0)
  private let fromNetwork = Atomic(0)
  private let fromRenditions = Atomic(0)
  private let fromOriginals = Atomic(0)
  /// Guarded by a lock, because failures are rare.
  private let failures = Mutex<[String: Int]>([:])

  func addAnswer(_ source: ImageResponse.Source, isCoalesced: Bool) {
    switch source {
    // The memory cache counts its own answers.
    case .memory: return
    case .rendition: fromRenditions.increment()
    case .original: fromOriginals.increment()
    case .revalidated: revalidated.increment()
    case .stale: stale.increment()
    case .derived: derived.increment()
    case .network: fromNetwork.increment()
    }
    if isCoalesced { coalesced.increment() }
  }

  func add(_ error: ImageError) {
    failures.withLock { $0[error.kind.name, default: 0] += 1 }
  }

  func lookedUp(_ layer: ImageCacheLayer, found byteCount: Int?) {
    guard let counts = self.layer(layer) else { return }
    if let byteCount {
      counts.hits.increment()
      counts.readByteCount.wrappingAdd(byteCount, ordering: .relaxed)
    } else {
      counts.misses.increment()
    }
  }

  func stored(_ layer: ImageCacheLayer, byteCount: Int) {
    guard let counts = self.layer(layer) else {
      memoryStores.increment()
      return
    }
    counts.stores.increment()
    counts.writtenByteCount.wrappingAdd(byteCount, ordering: .relaxed)
  }

  /// `nil` for memory, whose cache counts its own lookups.
  private func layer(_ layer: ImageCacheLayer) -> Layer? {
    switch layer {
    case .memory: nil
    case .rendition: renditions
    case .original: originals
    case .encoded: encoded
    }
  }

  var answersBySource: [ImageResponse.Source: Int] {
    [
      .rendition: fromRenditions.value, .original: fromOriginals.value, .revalidated: revalidated.value,
      .stale: stale.value, .derived: derived.value, .network: fromNetwork.value,
    ]
  }
  var failuresByKind: [String: Int] { failures.withLock { $0 } }
}

extension Atomic where Value == Int {
  /// Adds one.
  borrowing func increment() { wrappingAdd(1, ordering: .relaxed) }

  /// The count.
  var value: Int { borrowing get { load(ordering: .relaxed) } }
}
