import Foundation

@testable import Ozu

/// The events of a run so far, and what follows from it for a load: the files that may answer it, and whether an origin may be
/// asked. It knows freshness, removals and reloads, and no cache.
struct OracleWorld {
  struct Removal {
    enum Scope: Hashable {
      case source(OracleSource)
      case entry(OracleRequest)
      case format(OracleFormat)
      case everything
    }

    let tick: Int
    let scope: Scope
  }

  /// A load that has ended.
  struct Ended {
    let load: OracleLoad
    let endTick: Int
    /// The file from which its picture was made, for a load that succeeded.
    let file: Int?
    let picture: Picture?
  }

  var removals: [Removal] = []
  /// When the disk lost everything for the last time.
  var lossTick = 0
  /// Whether originals are stored if a request does not say otherwise.
  var storesOriginals = true
  var loads: [OracleLoad] = []
  var ended: [Ended] = []
  var exchanges: [OracleExchange] = []

  // MARK: Removals

  /// The last removal of everything of a source, before a tick.
  func removalTick(of source: OracleSource, before tick: Int) -> Int {
    removals.last { $0.tick < tick && ($0.scope == .everything || $0.scope == .source(source)) }?.tick ?? 0
  }

  /// The last removal before a tick that took the pictures of a request.
  func removalTick(ofPicturesOf request: OracleRequest, before tick: Int) -> Int {
    let recipe = request.recipe
    return removals.last { removal in
      guard removal.tick < tick else { return false }
      return switch removal.scope {
      case .everything: true
      case .source(let source): source == request.source
      case .entry(let entry): entry == recipe
      case .format(let format): format == request.format
      }
    }?.tick ?? 0
  }

  /// Whether an answer was on its way when its source was removed or reloaded, before a load began.
  private func isOutdated(_ exchange: OracleExchange, for load: OracleLoad) -> Bool {
    func crosses(_ tick: Int) -> Bool {
      exchange.tick < tick && (exchange.endTick ?? .max) > tick && tick < load.startTick
    }
    let isOfReload = loads.contains {
      $0.request.cachePolicy == .reload && $0.request.source == exchange.source
        && $0.startTick <= exchange.tick && $0.endTick.value ?? .max >= exchange.tick
    }
    return removals.contains { removal in
      guard case .entry(let entry) = removal.scope else { return false }
      return entry.source == exchange.source && crosses(removal.tick)
    }
      || !isOfReload
        && loads.contains {
          $0.request.cachePolicy == .reload && $0.request.source == exchange.source && crosses($0.startTick)
            && !$0.isPrefetch && ($0.goal.ignoresRecipe || OraclePipeline.refusal(of: $0.request) == nil)
        }
  }

  // MARK: Freshness

  /// The seconds for which an answer is fresh; `nil` for one that never expires.
  private func lifetime(_ exchange: OracleExchange, own: Int?) -> Double? {
    if let own, exchange.behavior.lifetime != .endless { return Double(own) }
    return switch exchange.behavior.lifetime {
    case .seconds(let seconds): Double(seconds)
    case .unstated: 3600
    case .strictMinute, .minuteAndWindow: 60
    case .noCache, .noStore: 0
    case .endless: nil
    }
  }

  /// Whether an answer is fresh at a date. One that is dated in the future is not.
  func isFresh(_ exchange: OracleExchange, at date: Date, own: Int?) -> Bool {
    guard let lifetime = lifetime(exchange, own: own) else { return true }
    return date < max(exchange.askDate, exchange.answerDate) + lifetime
      && exchange.answerDate.timeIntervalSince(date) <= 1
  }

  // MARK: Answers

  /// The exchanges whose answers may answer a load.
  func exchanges(for load: OracleLoad, _ source: OracleSource) -> [OracleExchange] {
    let start = load.startTick
    // A local file counts from one change to the next, whatever is cached.
    if case .file = source {
      return exchanges.filter { $0.source == source && ($0.endTick ?? .max) >= start }
    }
    let removal = removalTick(of: source, before: start)
    // A prefetch begins when the pipeline is idle, which may be during a removal that comes after it.
    let hasPrefetch = loads.contains {
      $0.isPrefetch && $0.request.source == source && $0.startTick < removal
    }
    let own = exchanges.filter { $0.source == source && $0.tick > removal - (hasPrefetch ? 1 : 0) }
    let shared = sharedLoads(load, source)
    let dates = ([load] + shared).flatMap(\.dates.value)
    let isDisconnected = own.contains {
      let isFailure =
        $0.behavior.answer == .disconnection || $0.behavior.breaksOff
        || $0.behavior.answer == .timeout && load.request.isHasty
      return isFailure && ($0.endTick ?? .max) >= start
    }
    return own.filter { exchange in
      let isRunning = (exchange.endTick ?? .max) >= start
      if isOutdated(exchange, for: load) || isInOtherVariant(exchange, for: load) { return false }
      let isStorable = exchange.behavior.lifetime != .noStore
      switch load.request.cachePolicy {
      case .useCaches:
        if isRunning || isShared(exchange, with: shared) { return true }
        guard isStorable else { return false }
        // Rules of its own that ignore the origin's lifetimes ignore its demands for validation too.
        let mayBeStale =
          load.request.ownLifetime != nil || ![.noCache, .strictMinute].contains(exchange.behavior.lifetime)
        if isDisconnected, mayBeStale { return true }
        return dates.contains { date in
          isFresh(exchange, at: date, own: load.request.ownLifetime)
            || exchange.behavior.lifetime == .minuteAndWindow && isFresh(exchange, at: date, own: 660)
        }
      case .cacheOnly: return isStorable
      case .reload, .bypass:
        return exchange.tick >= start || isShared(exchange, with: shared)
          || load.request.cachePolicy == .reload && isRunning && mayBeRepair(exchange)
      }
    }
  }

  /// Whether an answer was selected by another variant, and a load may only be answered by the bytes for its own: one that
  /// shares no work, and for which no picture is at hand. Requests of one key share pictures in any variant, and work in any
  /// language.
  private func isInOtherVariant(_ exchange: OracleExchange, for load: OracleLoad) -> Bool {
    guard exchange.behavior.varies, exchange.source == load.request.source,
      load.isAlone.value || [exchange.variant, load.request.variant].contains(.compact),
      load.goal.ignoresRecipe, !load.isPrefetch
    else { return false }
    // An alternative, which may be the same source, is asked for in no language.
    if exchange.variant == .none, load.request.substitutes.contains(exchange.source) { return false }
    return exchange.variant != load.request.variant
  }

  /// Whether an answer may be to a load whose stored bytes did not decode. It reloads them, and other reloads join it.
  private func mayBeRepair(_ exchange: OracleExchange) -> Bool {
    exchanges.contains {
      guard $0.source == exchange.source, $0.tick < exchange.tick, let file = $0.file else { return false }
      return !OracleBody.all[file].isWhole
    }
  }

  /// Whether one of the loads with which a load may share its work has the answer.
  private func isShared(_ exchange: OracleExchange, with loads: [OracleLoad]) -> Bool {
    loads.contains { $0.startTick <= exchange.endTick ?? .max }
  }

  /// The earlier loads of a source and the same policy whose work a load may share, also by another one that has joined them.
  private func sharedLoads(_ load: OracleLoad, _ source: OracleSource) -> [OracleLoad] {
    var shared: [OracleLoad] = []
    var start = load.startTick
    for other in loads.reversed()
    where other.startTick < start && other.request.cachePolicy == load.request.cachePolicy
      && (other.request.source == source || other.request.substitutes.contains(source))
      && other.endTick.value ?? .max >= start
    {
      shared.append(other)
      start = other.startTick
    }
    return shared
  }

  /// The files from which a load of a source may be answered.
  func files(for load: OracleLoad, _ source: OracleSource) -> Set<Int> {
    if case .data(let index) = source { return [index] }
    return Set(exchanges(for: load, source).compactMap(\.file))
  }

  /// The kinds of error with which the origin of a source may have a load fail.
  func failures(for load: OracleLoad, _ source: OracleSource) -> Set<ImageError.Kind> {
    var kinds: Set<ImageError.Kind> = []
    let removal = removalTick(of: source, before: load.startTick)
    let request = load.request
    let variant = (source == request.source ? request : request.alternative(source)).variant
    for exchange in exchanges where exchange.source == source && exchange.file == nil {
      let isRunning = (exchange.endTick ?? .max) >= load.startTick
      // The limits of one request fail no other one.
      if exchange.behavior.answer == .timeout, !load.request.isHasty { continue }
      if exchange.behavior.answer == .savingData, load.request.lowDataSource == nil { continue }
      // A failure is remembered for requests that its origin could not tell from the failed one.
      let isRemembered = exchange.variant == variant && isRemembered(exchange, for: load)
      guard isRunning || exchange.tick > removal && isRemembered else { continue }
      kinds.insert(kind(of: exchange))
    }
    return kinds
  }

  private func kind(of exchange: OracleExchange) -> ImageError.Kind {
    if case .fetcher = exchange.source { return .fetchFailed }
    if case .file = exchange.source { return .noSuchFile }
    switch exchange.behavior.answer {
    case .timeout: return .timedOut
    case .disconnection, .savingData: return .transport
    case .status, .file: return exchange.behavior.breaksOff ? .transport : .httpStatus
    }
  }

  /// The sources that may answer in place of a load's own: that for saving data only if the network has refused the own one.
  func substitutes(for load: OracleLoad) -> [OracleSource] {
    let isRefused = exchanges.contains {
      $0.source == load.request.source && $0.behavior.answer == .savingData
        && ($0.endTick ?? .max) >= load.startTick
    }
    return isRefused ? load.request.substitutes : load.request.alternatives
  }

  /// Whether a failure may still be remembered.
  private func isRemembered(_ exchange: OracleExchange, for load: OracleLoad) -> Bool {
    guard case .status(let status) = exchange.behavior.answer, (400..<500).contains(status),
      load.request.cachePolicy == .useCaches, case .web = exchange.source
    else { return false }
    var longest = 300.0
    if status == 404 || status == 410 {
      switch exchange.behavior.lifetime {
      case .seconds(let seconds): longest = Double(seconds)
      default: longest = 60
      }
    }
    return load.dates.value.contains { $0 < max(exchange.askDate, exchange.answerDate) + longest }
  }

  // MARK: Originals

  /// The exchange whose answer is certainly stored, and may be used by a load without asking; `nil` if none is.
  func certain(for load: OracleLoad) -> OracleExchange? {
    let request = load.request
    if case .file = request.source { return nil }
    guard request.readLayers.contains(.originals), request.ownLifetime == nil,
      let last = exchanges.last(where: { $0.source == request.source && $0.tick < load.startTick }),
      let file = last.file, OracleBody.all[file].isWhole, last.endTick != nil,
      last.behavior.lifetime != .noStore,
      last.variant == request.variant || !varied(request.source, until: last.tick),
      let storing = ended.last(where: { $0.load.startTick <= last.tick && last.tick <= $0.endTick }),
      storing.load.isAlone.value, storing.load.goal != .header, storing.load.startTick > lossTick,
      storing.file == last.file, writesOriginals(storing.load.request),
      storing.load.request.source == request.source,
      !removals.contains(where: { $0.tick >= storing.load.startTick && $0.mayReach(request.source) })
    else { return nil }
    return last
  }
}

extension OracleWorld {
  /// Whether an origin has ever varied. A later answer 304 to a request of another variant makes the stored one that of this variant.
  private func varied(_ source: OracleSource, until tick: Int) -> Bool {
    exchanges.contains { $0.source == source && $0.tick <= tick && $0.behavior.varies }
  }

  /// Whether a load certainly stores its original.
  private func writesOriginals(_ request: OracleRequest) -> Bool {
    [.useCaches, .reload].contains(request.cachePolicy) && request.writeLayers.contains(.originals)
      && (request.storagePolicy.map { $0 != .encodedImages } ?? storesOriginals) && request.ownLifetime == nil
      && request.substitutes.isEmpty
  }
}

extension OracleWorld.Removal {
  /// Whether something of the origin of a source may be gone.
  fileprivate func mayReach(_ source: OracleSource) -> Bool {
    switch scope {
    case .everything: true
    case .source(let other): other.origin == source.origin
    case .entry(let request): request.source.origin == source.origin
    case .format: false
    }
  }
}
