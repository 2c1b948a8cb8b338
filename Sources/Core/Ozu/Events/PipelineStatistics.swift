/// Counts since a pipeline was made.
///
/// Each count is exact; while requests run, two of them may be from slightly different moments.
///
/// ```swift
/// let before = pipeline.statistics
/// …
/// let saved = pipeline.statistics.coalesced - before.coalesced
/// ```
public struct PipelineStatistics: Hashable, Sendable, Codable {
  /// One layer of the caches.
  public struct Layer: Hashable, Sendable, Codable {
    /// Lookups that found an entry. For memory also those of `cachedImage(for:)`.
    public var hits = 0
    /// Lookups that found nothing.
    public var misses = 0
    /// Stored entries.
    public var stores = 0
    /// Bytes that hits have read from disk; 0 for memory.
    public var readByteCount = 0
    /// Bytes that stores have written to disk; 0 for memory.
    public var writtenByteCount = 0

    /// Makes a layer whose counts are all zero.
    public init() {}

    /// The part of lookups that were hits; 0 before the first lookup.
    public var hitRatio: Double { hits + misses == 0 ? 0 : Double(hits) / Double(hits + misses) }
  }

  /// Decoded pictures in memory.
  public var memory = Layer()
  /// Finished pictures on disk.
  public var renditions = Layer()
  /// Originals on disk.
  public var originals = Layer()
  /// Encoded images on disk.
  public var encoded = Layer()
  /// Entries that the memory cache has evicted.
  public var memoryEvictions = 0
  /// Entries that the disk cache has evicted.
  public var diskEvictions = 0
  /// Writes to further stores that were dropped, because too many writes waited for the store.
  public var droppedStoreWrites = 0

  /// Requests that were answered with a picture, by the raw value of their `ImageResponse.Source`; without those that
  /// memory answered.
  public var answers: [String: Int] = [:]
  /// Requests that were answered with bytes.
  public var dataAnswers = 0
  /// Requests that were answered with an encoded image.
  public var encodedAnswers = 0
  /// Pictures that were decoded: from their sources and from renditions; previews are not counted.
  public var decodes = 0
  /// Pictures that were encoded: for the disk cache and as encoded images.
  public var encodes = 0
  /// Requests that shared the work of an equal one.
  public var coalesced = 0
  /// Requests that failed, by the name of the error's kind (`ImageError.Kind.name`).
  public var failures: [String: Int] = [:]
  /// Requests that were cancelled.
  public var cancelled = 0

  /// Exchanges with servers, including revalidations and retries.
  public var networkLoads = 0
  /// Exchanges that failed or were interrupted; an answer with status 404 does not count.
  public var networkFailures = 0
  /// Received bytes of bodies.
  public var downloadedByteCount = 0
  /// Calls of fetchers.
  public var fetcherLoads = 0
  /// Local files that were read.
  public var fileLoads = 0
  /// Bytes of these files.
  public var fileByteCount = 0

  /// Makes statistics whose counts are all zero.
  public init() {}

  /// Requests answered from a cache after its origin had confirmed it.
  public var revalidated: Int { answers[ImageResponse.Source.revalidated.rawValue] ?? 0 }
  /// Requests answered from a cache past its lifetime.
  public var stale: Int { answers[ImageResponse.Source.stale.rawValue] ?? 0 }
  /// Requests answered from a larger picture of the same source.
  public var derived: Int { answers[ImageResponse.Source.derived.rawValue] ?? 0 }
  /// Requests that failed, for any reason.
  public var failureCount: Int { failures.values.reduce(0, +) }
  /// Bytes read from disk: of all layers, and of local files.
  public var readByteCount: Int {
    renditions.readByteCount + originals.readByteCount + encoded.readByteCount + fileByteCount
  }
  /// Bytes written to disk.
  public var writtenByteCount: Int {
    renditions.writtenByteCount + originals.writtenByteCount + encoded.writtenByteCount
  }
}

extension PipelineStatistics: CustomStringConvertible {
  /// A few readable lines; counts that are zero are left out, except those of the layers.
  public var description: String {
    var lines = [
      "memory: \(memory.text), \(memoryEvictions) evicted",
      "renditions on disk: \(renditions.text)", "originals on disk: \(originals.text)",
    ]
    if encoded != Layer() { lines.append("encoded on disk: \(encoded.text)") }
    let work = Self.list([("decodes", decodes), ("encodes", encodes)])
    if !work.isEmpty { lines.append("work: \(work)") }
    let disk = Self.list([
      ("evicted", diskEvictions), ("bytes read", readByteCount), ("bytes written", writtenByteCount),
      ("writes dropped", droppedStoreWrites),
    ])
    if !disk.isEmpty { lines.append("disk: \(disk)") }
    let loads = Self.list([
      ("exchanges", networkLoads), ("broken", networkFailures), ("bytes", downloadedByteCount),
    ])
    if !loads.isEmpty { lines.append("network: \(loads)") }
    let others = Self.list([("fetchers", fetcherLoads), ("files", fileLoads)])
    if !others.isEmpty { lines.append("other sources: \(others)") }
    let requests = Self.list(
      answers.sorted { $0.key < $1.key }.map { ("from \($0.key)", $0.value) } + [
        ("as bytes", dataAnswers), ("as files", encodedAnswers), ("coalesced", coalesced),
        ("cancelled", cancelled),
      ])
    if !requests.isEmpty { lines.append("requests: \(requests)") }
    let failed = Self.list(failures.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    if !failed.isEmpty { lines.append("failures: \(failed)") }
    return lines.joined(separator: "\n")
  }

  private static func list(_ counts: [(name: String, count: Int)]) -> String {
    counts.filter { $0.count > 0 }.map { "\($0.count) \($0.name)" }.joined(separator: ", ")
  }
}

extension PipelineStatistics.Layer {
  fileprivate var text: String { "\(hits) hits, \(misses) misses, \(stores) stored" }
}

extension PipelineCounters.Layer {
  fileprivate var snapshot: PipelineStatistics.Layer {
    var result = PipelineStatistics.Layer()
    result.hits = hits.value
    result.misses = misses.value
    result.stores = stores.value
    result.readByteCount = readByteCount.value
    result.writtenByteCount = writtenByteCount.value
    return result
  }
}

extension MemoryCacheStatistics {
  var evictions: Int { costEvictions + countEvictions + pressureEvictions }
}

extension PipelineStatistics {
  init(_ context: LoadContext) {
    self.init()
    let caches = context.caches
    let counters = context.events.counters
    let lookups = caches.memory.statistics
    memory.hits = max(0, lookups.hits + lookups.weakHits - counters.repeatedHits.value)
    memory.misses = max(0, lookups.misses - counters.repeatedMisses.value)
    memory.stores = counters.memoryStores.value
    memoryEvictions = lookups.evictions
    renditions = counters.renditions.snapshot
    encoded = counters.encoded.snapshot
    originals = counters.originals.snapshot
    diskEvictions = caches.evictionCounts.values.reduce(0, +)
    droppedStoreWrites = caches.stores.droppedWriteCount
    for (source, count) in counters.answersBySource where count > 0 {
      answers[source.rawValue] = count
    }
    dataAnswers = counters.dataAnswers.value
    encodedAnswers = counters.encodedAnswers.value
    decodes = counters.decodes.value
    encodes = counters.encodes.value
    coalesced = counters.coalesced.value
    failures = counters.failuresByKind
    cancelled = counters.cancelled.value
    networkLoads = counters.networkLoads.value
    networkFailures = counters.networkFailures.value
    downloadedByteCount = counters.downloadedByteCount.value
    fetcherLoads = counters.fetcherLoads.value
    fileLoads = counters.fileLoads.value
    fileByteCount = counters.fileByteCount.value
  }
}
