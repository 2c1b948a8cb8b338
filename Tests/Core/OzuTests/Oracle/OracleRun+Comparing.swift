import Foundation
import OzuTesting

@testable import Ozu

/// The comparison of what the pipeline answered with what the oracle allows.
extension OracleRun {
  /// Compares the loads that have ended since the last call.
  mutating func compareEnded() -> String? {
    world.exchanges = origins.exchanges
    var ended = running.filter { $0.end.value != nil }
    running.removeAll { $0.end.value != nil }
    // A picture may be derived from one that has ended in the same step, so they are tried in turn.
    while !ended.isEmpty {
      var problem: String?
      var left: [OracleLoad] = []
      for load in ended {
        if let its = compare(load) {
          problem = problem ?? "\(load.goal) of \(load.request) from tick \(load.startTick): \(its)"
          left.append(load)
        }
      }
      if left.count == ended.count { return problem }
      ended = left
    }
    return nil
  }

  private mutating func compare(_ load: OracleLoad) -> String? {
    guard let end = load.end.value else { return nil }
    load.endTick.change { $0 = tick }
    // These hold the pipeline.
    load.stop.change { $0 = nil }
    load.task.change { $0 = nil }
    let request = load.request
    var file: Int?
    var picture: Picture?
    switch end {
    case .failure(let error):
      if let problem = refusal(of: error, load) { return problem }
    case .prefetched(.failed(let error)):
      if let problem = refusal(of: error, load) { return problem }
    case .prefetched:
      // The picture was returned to nobody, but others may be derived from it.
      guard load.goal == .picture, let cached = pipeline.cachedImage(for: request.request(origins)) else {
        break
      }
      if let its = allowed(load).first(where: { isRight(cached, $0.request, $0.file, request) })?.file {
        (file, picture) = (its, cached)
      }
    case .picture(let response):
      picture = response.picture
      guard let (its, source) = self.file(of: response, load) else {
        return "a picture of \(response.picture.size) from \(response.source), \(expectation(load))"
      }
      file = its
      if source == load.request.source, let problem = staleness(of: response, load) { return problem }
    case .file(let encoded):
      guard case .file(let output) = load.goal, output.format.types.contains(encoded.type) else {
        return "a file as \(encoded.type)"
      }
      file =
        allowed(load).first { request, file in
          guard case .success(let data) = oracle.encoded(request, as: output, file: file) else {
            return false
          }
          return data == encoded.data
        }?.file
      if file == nil { return "other bytes, \(expectation(load))" }
    case .bytes(let data):
      file = allowed(load).map(\.file).first { OracleBody.all[$0].data == data }
      if file == nil { return "other bytes, \(expectation(load))" }
    case .header(let header):
      file = allowed(load).map(\.file).first { (try? OraclePipeline.header(file: $0).get()) == header }
      if file == nil { return "another header, \(expectation(load))" }
    }
    if let problem = traffic(of: load, file: file) { return problem }
    counts[kind(of: end), default: 0] += 1
    world.ended.append(.init(load: load, endTick: tick, file: file, picture: picture))
    return nil
  }

  private func kind(of end: OracleLoad.End) -> String {
    switch end {
    case .failure(let error): "failed: \(error.kind)"
    case .picture(let response): "picture from \(response.source.rawValue)"
    case .file: "file"
    case .bytes: "bytes"
    case .header: "header"
    case .prefetched: "prefetched"
    }
  }

  // MARK: Files

  /// The files from which a load may be answered, each with the request for its source.
  private func allowed(_ load: OracleLoad) -> [(request: OracleRequest, file: Int)] {
    let requests = [load.request] + world.substitutes(for: load).map(load.request.alternative)
    return requests.flatMap { request in
      world.files(for: load, request.source).sorted().map { (request, $0) }
    }
  }

  private func expectation(_ load: OracleLoad) -> String {
    let exchanges = world.exchanges.filter { $0.source == load.request.source }.suffix(4).map {
      "\($0.tick)…\($0.endTick.map { "\($0)" } ?? "") \($0.behavior)"
    }
    return "allowed are the files \(allowed(load).map(\.file)); last exchanges: \(exchanges)"
  }

  /// The file and the source that a picture was made from; `nil` if none that is allowed gives it.
  private mutating func file(of response: ImageResponse, _ load: OracleLoad) -> (Int, OracleSource)? {
    for (request, file) in allowed(load) {
      if case .picture(let made) = oracle.answer(request, file: file),
        response.picture.isSame(as: made, load.request)
      {
        return (file, request.source)
      }
    }
    if response.source == .derived, !settings.derives { return nil }
    // A picture from a cache also comes with bytes that turn out to be those that it was made of.
    let source = load.request.source
    let isRenewed = Dictionary(grouping: world.exchanges.filter { $0.source == source }, by: \.file).values
      .contains { $0.count > 1 }
    let isFromCaches = isRenewed || ![.network, .original].contains(response.source)
    guard isFromCaches, load.request.cachePolicy == .useCaches || load.request.cachePolicy == .cacheOnly,
      load.request.readLayers.contains(.memory) || load.request.readLayers.contains(.renditions)
    else { return nil }
    for (request, file) in allowed(load) where isIndirect(response.picture, request, file, load.request) {
      return (file, request.source)
    }
    return nil
  }

  /// Whether a picture was made from a file, or from another picture of it.
  private mutating func isRight(
    _ picture: Picture, _ request: OracleRequest, _ file: Int, _ own: OracleRequest
  ) -> Bool {
    if case .picture(let made) = oracle.answer(request, file: file), picture.isSame(as: made, own) {
      return true
    }
    return isIndirect(picture, request, file, own)
  }

  /// Whether a picture was made from another one that may have been in a cache.
  private mutating func isIndirect(
    _ picture: Picture, _ request: OracleRequest, _ file: Int, _ own: OracleRequest
  ) -> Bool {
    var known: [(OracleRequest, Picture)] = world.ended.compactMap { ended in
      guard ended.file == file, let picture = ended.picture else { return nil }
      return (ended.load.request, picture)
    }
    // Pictures of loads that were cancelled, or that nobody has seen.
    let requests = world.loads.flatMap { load in
      [load.request] + load.request.substitutes.map(load.request.alternative)
    }
    for other in Set(requests.map(\.recipe)) where other.source == request.source {
      if case .picture(let made) = oracle.answer(other, file: file) { known.append((other, made)) }
    }
    return known.contains { other, base in
      if other.recipe == request.recipe, picture.isSame(as: base, own) { return true }
      return [
        OraclePipeline.derived(request, from: other, base),
        OraclePipeline.continued(request, from: other, base),
      ].contains { answer in
        if case .picture(let made) = answer { picture.isSame(as: made, own) } else { false }
      }
    }
  }

  /// A picture in memory or on disk must have been put there by a load that began after the last removal.
  private func staleness(of response: ImageResponse, _ load: OracleLoad) -> String? {
    guard response.source == .memory || response.source == .rendition else { return nil }
    let request = load.request
    let key = key(of: request)
    let removal = world.removalTick(ofPicturesOf: request, before: load.startTick)
    let isMade = world.loads.contains { other in
      guard other !== load, other.goal == .picture else { return false }
      func isOf(_ asked: OracleRequest, beganLate: Bool) -> Bool {
        let isAfter = beganLate ? other.endTick.value ?? .max >= removal : other.startTick > removal
        return isAfter && self.key(of: asked) == key
      }
      // A prefetch begins when the pipeline is idle, and another source is asked when one has failed.
      return isOf(other.request, beganLate: other.isPrefetch)
        || other.request.substitutes.contains { isOf(other.request.alternative($0), beganLate: true) }
    }
    return isMade ? nil : "a picture from \(response.source) that was removed at tick \(removal)"
  }

  private func key(of request: OracleRequest) -> ImageKey {
    request.request(origins).keyed(by: pipeline.configuration).key
  }

  // MARK: Errors

  private mutating func refusal(of error: ImageError, _ load: OracleLoad) -> String? {
    let request = load.request
    if error.kind == .cancelled {
      return load.cancelTick.value == nil ? "it was cancelled by nobody" : nil
    }
    if error.kind == .deadlineExceeded {
      return request.isUrgent && load.dates.value.count > 1 ? nil : "the time was not over"
    }
    if !load.goal.ignoresRecipe, let kind = OraclePipeline.refusal(of: request) {
      return kind == error.kind ? nil : "\(error.kind) instead of \(kind)"
    }
    if error.kind == .notCached, request.cachePolicy == .cacheOnly {
      guard let certain = world.certain(for: load), load.isAlone.value,
        !load.goal.ignoresRecipe || !load.isPrefetch
      else { return nil }
      return "not cached, but the answer of tick \(certain.tick) is stored"
    }
    var kinds = world.failures(for: load, request.source)
    // A prefetch to disk wants a picture too, and its header says whether it is one.
    for file in world.files(for: load, request.source) where load.goal != .bytes || load.isPrefetch {
      if load.goal.ignoresRecipe {
        if case .failure(let failure) = OraclePipeline.header(file: file) { kinds.insert(failure.kind) }
      } else if case .file(let output) = load.goal {
        if case .failure(let failure) = oracle.encoded(request, as: output, file: file) {
          kinds.insert(failure.kind)
        }
      } else if case .failure(let kind) = oracle.answer(request, file: file) {
        kinds.insert(kind)
      }
    }
    kinds.formUnion(rememberedDamage(load))
    return kinds.contains(error.kind) ? nil : "\(error), expected one of \(kinds), \(expectation(load))"
  }

  /// The errors of files that did not decode, which are remembered for a while, whatever the recipe was.
  private mutating func rememberedDamage(_ load: OracleLoad) -> Set<ImageError.Kind> {
    guard load.request.cachePolicy == .useCaches else { return [] }
    let removal = world.removalTick(of: load.request.source, before: load.startTick)
    var kinds: Set<ImageError.Kind> = []
    for exchange in world.exchanges
    where exchange.source == load.request.source && exchange.tick > removal {
      guard let file = exchange.file, !OracleBody.all[file].isWhole,
        load.dates.value.contains(where: { $0 < exchange.answerDate + 300 })
      else { continue }
      if case .failure(let kind) = oracle.answer(OracleRequest(load.request.source), file: file),
        kind == .notAnImage || kind == .corruptData
      {
        kinds.insert(kind)
      }
    }
    return kinds
  }

  // MARK: Requests to origins

  private mutating func traffic(of load: OracleLoad, file: Int?) -> String? {
    let request = load.request
    guard load.isAlone.value, load.cancelTick.value == nil else { return nil }
    // The states of a file are among the exchanges, and nobody asks for them.
    let count = world.exchanges.count {
      !$0.isFile && $0.source == request.source && $0.tick >= load.startTick
    }
    if request.cachePolicy == .cacheOnly, count > 0 { return "\(count) requests to the origin" }
    guard request.cachePolicy == .useCaches, count > 0, let certain = world.certain(for: load),
      let stored = certain.file, OracleBody.all[stored].isWhole, request.substitutes.isEmpty,
      load.dates.value.allSatisfy({ isFreshForSure(certain, at: $0) })
    else { return nil }
    return "\(count) requests to the origin, whose answer of tick \(certain.tick) is stored and fresh"
  }

  private func isFreshForSure(_ exchange: OracleExchange, at date: Date) -> Bool {
    var early = exchange
    early.answerDate = min(exchange.askDate, exchange.answerDate)
    return world.isFresh(early, at: date, own: nil) && world.isFresh(exchange, at: date, own: nil)
  }

  // MARK: At the end

  /// Asks the caches for everything, and then those of a new pipeline.
  mutating func probe() async throws -> String? {
    var requests: [OracleRequest] = []
    for source in Set(world.loads.map(\.request.source)).sorted(by: { "\($0)" < "\($1)" }) {
      var sized = OracleRequest(source)
      sized.resize = Resize(PixelSize(20, 15))
      requests +=
        [OracleRequest(source), sized]
        + world.loads.map(\.request.recipe).filter { $0.source == source }.suffix(1)
    }
    for isNew in [false, true] {
      if isNew, let problem = try await playProbe(.restart(losesDisk: false)) { return problem }
      // The pipeline of the run has answered enough.
      for var request in isNew ? requests : Array(requests.prefix(3)) {
        request.cachePolicy = .cacheOnly
        if let problem = try await playProbe(.load(request, .picture)) {
          return "\(request), new \(isNew): \(problem)"
        }
      }
    }
    return nil
  }
}

extension Picture {
  /// Whether the pixels are the same, and the picture has the scale of a request.
  fileprivate func isSame(as other: Picture, _ request: OracleRequest) -> Bool {
    bitmap == other.bitmap && bitmap.colorSpace == other.bitmap.colorSpace && scale == request.scale
      && (animation == nil) == (other.animation == nil)
  }
}
