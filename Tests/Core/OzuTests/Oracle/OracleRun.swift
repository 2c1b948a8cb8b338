import Foundation
import OzuBase
import OzuTesting

@testable import Ozu

/// A load of a run, and its end.
final class OracleLoad: Sendable {
  enum End: Sendable {
    case picture(ImageResponse)
    case file(EncodedImage)
    case bytes(Data)
    case header(ImageHeader)
    case prefetched(ImagePrefetcher.Ending)
    case failure(ImageError)
  }

  let request: OracleRequest
  let goal: OracleOperation.Goal
  let isPrefetch: Bool
  let startTick: Int
  /// The dates that the clock showed while it ran.
  let dates: Shared<[Date]>
  let end = Shared<End?>(nil)
  let endTick = Shared<Int?>(nil)
  let cancelTick = Shared<Int?>(nil)
  /// Whether nothing else ran while it ran.
  let isAlone: Shared<Bool>
  let stop = Shared<(@Sendable () -> Void)?>(nil)
  let task = Shared<ImageTask?>(nil)

  init(
    _ request: OracleRequest, _ goal: OracleOperation.Goal, isPrefetch: Bool = false, tick: Int, date: Date,
    isAlone: Bool
  ) {
    (self.request, self.goal, self.isPrefetch, startTick) = (request, goal, isPrefetch, tick)
    dates = Shared([date])
    self.isAlone = Shared(isAlone)
  }
}

/// The pipeline under test beside the world of the oracle.
///
/// Every operation has a tick. After each the run waits until nothing moves but what gates hold, and compares the loads that
/// have ended.
struct OracleRun {
  let origins: OracleOrigins
  var files = MemoryFileSystem()
  let store = MemoryImageStore()
  let settings: OracleSettings
  var pipeline: ImagePipeline
  var oracle: OraclePipeline
  var world = OracleWorld()
  var running: [OracleLoad] = []
  var prefetchers: [ImagePrefetcher] = []
  var tick = 0
  var isHoldingDecoding = false
  /// The number of answers that were compared, by their kind.
  var counts: [String: Int] = [:]

  init(_ oracle: OraclePipeline, _ settings: OracleSettings) {
    self.oracle = oracle
    self.settings = settings
    origins = OracleOrigins(settings)
    world.storesOriginals = settings.storagePolicy != .encodedImages
    pipeline = Self.pipeline(origins, files, store, settings)
  }

  private static func pipeline(
    _ origins: OracleOrigins, _ files: MemoryFileSystem, _ store: MemoryImageStore, _ settings: OracleSettings
  ) -> ImagePipeline {
    .testing(client: origins.client, files: files, clock: origins.clock) { settings.apply(to: &$0, store) }
  }

  // MARK: Playing

  /// Plays operations until a difference, which it returns.
  mutating func play(_ operations: [OracleOperation]) async throws -> String? {
    try origins.prepare()
    for operation in operations {
      tick += 1
      origins.setTick(tick)
      if let problem = try await perform(operation) { return "tick \(tick), \(operation): \(problem)" }
    }
    tick += 1
    origins.setTick(tick)
    if let problem = try await finish() { return "at the end: \(problem)" }
    return try await probe().map { "afterwards: \($0)" }
  }

  /// One more operation, after those of the seed.
  mutating func playProbe(_ operation: OracleOperation) async throws -> String? {
    tick += 1
    origins.setTick(tick)
    return try await perform(operation)
  }

  private mutating func perform(_ operation: OracleOperation) async throws -> String? {
    switch operation {
    case .load(let request, let goal): begin(request, goal)
    case .prefetch(let requests, let toMemory): prefetch(requests, toMemory: toMemory)
    case .cancel(let index):
      guard let load = load(at: index) else { return nil }
      load.cancelTick.change { $0 = tick }
      load.stop.value?()
    case .prioritize(let index, let priority): load(at: index)?.task.value?.priority = priority
    case .remove(let source):
      world.removals.append(.init(tick: tick, scope: .source(source)))
      await pipeline.removeImage(for: OracleRequest(source).request(origins))
    case .removeEntry(let request):
      world.removals.append(.init(tick: tick, scope: .entry(request.recipe)))
      let (entry, pipeline) = (request.request(origins), pipeline)
      await Task.detached { pipeline.cache.remove(entry) }.value
    case .removeFormat(let format):
      world.removals.append(.init(tick: tick, scope: .format(format)))
      await pipeline.removeImages(ofFormat: format.format.name)
    case .removeAll:
      world.removals.append(.init(tick: tick, scope: .everything))
      await pipeline.removeAllImages()
    case .purgeMemory:
      pipeline.removeImagesFromMemory()
    case .restart(let losesDisk):
      if let problem = try await finish() { return problem }
      if losesDisk, settings.hasDisk { world.lossTick = tick }
      await restart(losesDisk: losesDisk)
    case .change(let origin, let behavior): try origins.set(behavior, of: origin)
    case .saveData(let savesData): origins.setSavesData(savesData)
    case .hold(let origin): origins.hold(origin)
    case .overtake(let origin): origins.overtake(origin)
    case .release(let origin): origins.release(origin)
    case .holdDecoding: setDecoding(isHeld: true)
    case .releaseDecoding: setDecoding(isHeld: false)
    case .wait(let seconds):
      origins.clock.advance(by: .seconds(seconds))
      noteDate()
    case .setClock(let seconds):
      origins.clock.currentDate += Double(seconds)
      noteDate()
    case .finish: return try await finish()
    }
    try await settle()
    return compareEnded()
  }

  private mutating func setDecoding(isHeld: Bool) {
    isHoldingDecoding = isHeld
    if isHeld { pipeline.suspend(.decode) } else { pipeline.resume(.decode) }
  }

  private func load(at index: Int) -> OracleLoad? {
    running.indices.contains(index) ? running[index] : nil
  }

  private func noteDate() {
    let date = origins.clock.currentDate
    for load in running { load.dates.change { $0.append(date) } }
  }

  private mutating func restart(losesDisk: Bool) async {
    prefetchers = []
    // As long as the old one holds the folder, the new one would follow it and leave its entries.
    await pipeline.diskCache?.close()
    if losesDisk { files = MemoryFileSystem() }
    pipeline = Self.pipeline(origins, files, store, settings)
    _ = await pipeline.register(OracleFormat.preloaded.format).count
  }

  // MARK: Loads

  private mutating func add(
    _ request: OracleRequest, _ goal: OracleOperation.Goal, isPrefetch: Bool = false
  ) -> OracleLoad {
    let load = OracleLoad(
      request, goal, isPrefetch: isPrefetch, tick: tick, date: origins.clock.currentDate,
      isAlone: running.isEmpty && !isPrefetch)
    for other in running { other.isAlone.change { $0 = false } }
    running.append(load)
    world.loads.append(load)
    return load
  }

  private mutating func begin(_ request: OracleRequest, _ goal: OracleOperation.Goal) {
    let load = add(request, goal)
    let (image, pipeline) = (request.request(origins), pipeline)
    switch goal {
    case .picture:
      let task = pipeline.loadImage(for: image, queue: oracleQueue) { result in
        switch result {
        case .success(let response): load.end.change { $0 = .picture(response) }
        case .failure(let error): load.end.change { $0 = .failure(error) }
        }
      }
      load.task.change { $0 = task }
      load.stop.change { $0 = { task.cancel() } }
    case .file, .bytes, .header:
      let task = Task.immediate {
        do throws(ImageError) {
          let end: OracleLoad.End
          switch goal {
          case .file(let output): end = .file(try await pipeline.encoded(for: image, as: output.format))
          case .header: end = .header(try await pipeline.header(for: image))
          case .bytes, .picture: end = .bytes(try await pipeline.data(for: image))
          }
          load.end.change { $0 = end }
        } catch {
          load.end.change { $0 = .failure(error) }
        }
      }
      load.stop.change { $0 = { task.cancel() } }
    }
  }

  private mutating func prefetch(_ requests: [OracleRequest], toMemory: Bool) {
    // Two equal requests have one outcome.
    let requests = requests.enumerated().filter { index, request in
      !requests[..<index].contains { $0.request(origins).prefetchKey == request.request(origins).prefetchKey }
    }.map(\.element)
    let prefetcher = ImagePrefetcher(pipeline: pipeline, destination: toMemory ? .memory : .disk)
    prefetchers.append(prefetcher)
    for request in requests {
      let load = add(request, toMemory ? .picture : .bytes, isPrefetch: true)
      let image = request.request(origins)
      let outcomes = prefetcher.start([image])
      Task {
        for await outcome in outcomes { load.end.change { $0 = .prefetched(outcome.ending) } }
      }
      load.stop.change { $0 = { prefetcher.stop([image]) } }
    }
  }

  // MARK: Waiting

  private mutating func finish() async throws -> String? {
    for origin in 0..<OracleOrigins.count { origins.release(origin) }
    setDecoding(isHeld: false)
    try await eventually(running.allSatisfy { $0.end.value != nil })
    try await settle()
    await pipeline.flush()
    try await settle()
    return compareEnded()
  }

  /// Waits until nothing moves but what gates and suspended queues hold.
  private func settle() async throws {
    var idleCount = 0
    try await eventually(
      {
        idleCount = isIdle ? idleCount + 1 : 0
        return idleCount >= 3
      }())
  }

  private var isIdle: Bool {
    let isHolding = origins.isHolding
    var networkCount = 0
    let jobs = pipeline.snapshots
    for job in jobs {
      switch job.state {
      case .deciding: return false
      case .queued(let station):
        let isHeld = isHoldingDecoding && QueueKind.decode.contains(station)
        if !isHeld, !(isHolding && QueueKind.data.contains(station)) { return false }
      case .running(let station):
        guard isHolding, QueueKind.data.contains(station) else { return false }
        networkCount += 1
      case .parked, .abandoned: break
      }
    }
    if !isHolding, !isHoldingDecoding, running.contains(where: { $0.end.value == nil }) { return false }
    return networkCount == origins.heldCount
  }

  private typealias QueueKind = ImagePipeline.QueueKind
}

private let oracleQueue = DispatchQueue(label: "oracle")

extension ImagePipeline.QueueKind {
  fileprivate func contains(_ station: StationID) -> Bool { stations.contains(station) }
}
