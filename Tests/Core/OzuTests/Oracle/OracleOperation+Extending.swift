import OzuTesting

@testable import Ozu

/// What was added to the runs later. By a generator of its own, so that the rest of a seed is what it was.
extension OracleOperation {
  /// The same operations, of which some loads have further fields, and in a third of the seeds a few that belong together.
  static func extended(_ operations: [OracleOperation], seed: UInt64) -> [OracleOperation] {
    var random = SeededGenerator(seed: seed &+ 2 << 32)
    let settings = OracleSettings(seed: seed)
    var operations = operations
    if Int.random(in: 0..<3, using: &random) == 0 {
      let place = Int.random(in: 0...operations.count, using: &random)
      operations.insert(contentsOf: related(&random, settings), at: place)
    }
    operations = operations.map { operation in
      switch operation {
      case .load(var request, var goal):
        extend(&request, settings, &random)
        if case .file = goal, Bool.random(using: &random) {
          goal = .file(OracleOutput.allCases.randomElement(using: &random)!)
        }
        return .load(request, goal)
      case .prefetch(var requests, let toMemory):
        for index in requests.indices { extend(&requests[index], settings, &random) }
        return .prefetch(requests, toMemory: toMemory)
      default: return operation
      }
    }
    // By a generator of its own again.
    random = SeededGenerator(seed: seed &+ 3 << 32)
    if Int.random(in: 0..<5, using: &random) == 0 {
      let place = Int.random(in: 0...operations.count, using: &random)
      operations.insert(contentsOf: rare(&random), at: place)
    }
    // An interceptor runs in a Swift task. A run with one knows only by the end of a load that it has begun, so nothing is held.
    return settings.isIntercepted ? operations.filter { !$0.isHolding } : operations
  }

  private var isHolding: Bool {
    switch self {
    case .hold, .overtake, .release, .holdDecoding, .releaseDecoding: true
    default: false
    }
  }

  private static func extend(
    _ request: inout OracleRequest, _ settings: OracleSettings, _ random: inout SeededGenerator
  ) {
    func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
    request.token = Int.random(in: 0..<2, using: &random)
    if request.colorPolicy == .convertToSRGB, chance(50) { request.colorPolicy = settings.colorPolicy }
    guard case .web = request.source else { return }
    if chance(8) { request.variant = .compact }
    if chance(6) { request.isHasty = true }
    let other = OracleSource.random(&random)
    if chance(6), !other.hasOwnKey, !request.source.hasOwnKey { request.lowDataSource = other }
  }

  /// Operations that seldom meet by chance.
  private static func related(
    _ random: inout SeededGenerator, _ settings: OracleSettings
  ) -> [OracleOperation] {
    let origin = Int.random(in: 0..<OracleSource.webCount, using: &random)
    let request = OracleRequest(.web(origin, account: 0))
    return switch Int.random(in: 0..<7, using: &random) {
    case 0, 1, 2, 3: downloads(of: request, at: origin, &random)
    case 4: preloading(of: request, at: origin, &random)
    case 5: brightness(of: request, at: origin, &random)
    default: colors(of: request, at: origin, &random)
    }
  }

  /// Two loads at once whose downloads must not be shared.
  private static func downloads(
    of request: OracleRequest, at origin: Int, _ random: inout SeededGenerator
  ) -> [OracleOperation] {
    var own = request
    switch Int.random(in: 0..<3, using: &random) {
    case 0: own.variant = .compact
    case 1: own.isHasty = true
    default: own.lowDataSource = .web((origin + 1) % OracleSource.webCount, account: 0)
    }
    var behavior = OracleBehavior(answer: .file(Int.random(in: 0..<20, using: &random)))
    behavior.varies = true
    let goals: [Goal] = [.bytes, .bytes, .bytes, .picture, .file(.png)]
    let goal = goals.randomElement(using: &random)!
    return [
      .change(origin, behavior), .remove(request.source), .saveData(true), .hold(origin), .load(own, goal),
      .load(request, goal), .release(origin), .load(own, goal), .saveData(false), .load(own, goal),
    ]
  }

  /// A picture that is preloaded, and whose label does not tell its source, is removed with it.
  private static func preloading(
    of request: OracleRequest, at origin: Int, _ random: inout SeededGenerator
  ) -> [OracleOperation] {
    var preloaded = request
    (preloaded.format, preloaded.storagePolicy) = (.preloaded, .all)
    preloaded.processors = [[OracleStep.invert, .swap].randomElement(using: &random)!]
    func file() -> OracleBehavior {
      OracleBehavior(answer: .file(Int.random(in: 0..<20, using: &random)))
    }
    return [
      .change(origin, file()), .remove(request.source), .load(preloaded, .picture),
      .restart(losesDisk: false), .change(origin, file()), .remove(request.source),
      .load(preloaded, .picture),
    ]
  }

  /// A picture with a gain map, for displays with and without headroom.
  private static func brightness(
    of request: OracleRequest, at origin: Int, _ random: inout SeededGenerator
  ) -> [OracleOperation] {
    var large = request
    large.resize = Resize(PixelSize(48, 36))
    (large.headroom, large.storagePolicy) = (Bool.random(using: &random) ? 1 : 2, .all)
    var others = [large, large, large, large]
    others[0].headroom = nil
    others[1].headroom = 0.5
    others[2].resize?.light = .linear
    others[3].processors = [.random(&random)]
    let file = OracleBody.bright.randomElement(using: &random) ?? 0
    let goals: [Goal] = [.picture, .picture, .file(.png), .file(.jpeg), .header]
    return [
      .change(origin, OracleBehavior(answer: .file(file))), .remove(request.source), .load(large, .picture),
    ] + others.map { .load($0, goals.randomElement(using: &random)!) } + [
      .restart(losesDisk: false), .load(large, .picture), .load(others[0], .file(.automatic)),
    ]
  }

  /// A picture under a profile, and a smaller one that is made of it, also by another process.
  private static func colors(
    of request: OracleRequest, at origin: Int, _ random: inout SeededGenerator
  ) -> [OracleOperation] {
    let policies: [ColorPolicy] = [.keepProfile, .keepProfile, .convertToSRGB, .keep, .keepForFile]
    var large = request
    (large.resize, large.storagePolicy) = (Resize(PixelSize(48, 36)), .all)
    large.colorPolicy = policies.randomElement(using: &random)!
    var small = large
    small.resize = Resize(PixelSize(16, 12))
    var other = small
    other.colorPolicy = policies.randomElement(using: &random)!
    let file = (OracleBody.profiled + OracleBody.wide).randomElement(using: &random) ?? 0
    let middle: OracleOperation = Bool.random(using: &random) ? .restart(losesDisk: false) : .finish
    return [
      .change(origin, OracleBehavior(answer: .file(file))), .remove(request.source), .load(large, .picture),
      middle, .load(small, .picture), .load(other, .picture), .load(small, .file(.png)),
    ]
  }

  /// More operations that seldom meet by chance.
  private static func rare(_ random: inout SeededGenerator) -> [OracleOperation] {
    let origin = Int.random(in: 0..<OracleSource.webCount, using: &random)
    let request = OracleRequest(.web(origin, account: 0))
    switch Int.random(in: 0..<5, using: &random) {
    case 0: return cut(request, at: origin, &random)
    case 1: return substitute(for: request, at: origin, &random)
    case 2: return thumbnails(of: request, at: origin, &random)
    case 3: return otherFailure(of: request, at: origin, &random)
    default: return outputs(of: request, at: origin, &random)
    }
  }

  /// A source that may only take the place of another one to save data.
  private static func substitute(
    for request: OracleRequest, at origin: Int, _ random: inout SeededGenerator
  ) -> [OracleOperation] {
    var request = request
    let other = (origin + 1) % OracleSource.webCount
    request.lowDataSource = .web(other, account: 0)
    let file = OracleBehavior(answer: .file(Int.random(in: 0..<20, using: &random)))
    return [
      .remove(request.source), .change(origin, OracleBehavior(answer: .disconnection)), .change(other, file),
      .load(request, .picture), .remove(request.source), .saveData(true), .load(request, .picture),
      .saveData(false),
    ]
  }

  /// A failure of a request, and then one with the same key whose origin can tell it from the first.
  private static func otherFailure(
    of request: OracleRequest, at origin: Int, _ random: inout SeededGenerator
  ) -> [OracleOperation] {
    var other = request
    other.variant = [.german, .compact].randomElement(using: &random)!
    let status = OracleBehavior(answer: .status([403, 404].randomElement(using: &random)!))
    let file = OracleBehavior(answer: .file(Int.random(in: 0..<20, using: &random)))
    return [
      .remove(request.source), .change(origin, status), .load(request, .picture), .change(origin, file),
      .load(other, .picture),
    ]
  }

  /// A picture that may be made from the thumbnail in its file, and smaller ones that may not.
  private static func thumbnails(
    of request: OracleRequest, at origin: Int, _ random: inout SeededGenerator
  ) -> [OracleOperation] {
    var large = request
    large.resize = Resize(PixelSize(32, 24))
    large.resize?.allowsEmbeddedThumbnail = true
    var small = request
    small.resize = Resize(PixelSize(16, 12))
    let file = OracleBody.turned.randomElement(using: &random) ?? 0
    return [
      .change(origin, OracleBehavior(answer: .file(file))), .remove(request.source), .load(large, .picture),
      .load(small, .picture),
    ]
  }

  /// A file that is cut off, for requests that take a part of a picture and for others.
  private static func cut(
    _ request: OracleRequest, at origin: Int, _ random: inout SeededGenerator
  ) -> [OracleOperation] {
    let loads = (0..<3).map { _ in
      var other = request
      other.allowsTruncation = Bool.random(using: &random)
      return OracleOperation.load(other, .picture)
    }
    let file = OracleBody.cut.randomElement(using: &random) ?? 0
    return [.change(origin, OracleBehavior(answer: .file(file))), .remove(request.source)] + loads
  }

  /// The same picture as two files that differ in one option.
  private static func outputs(
    of request: OracleRequest, at origin: Int, _ random: inout SeededGenerator
  ) -> [OracleOperation] {
    let isMoving = Bool.random(using: &random)
    let outputs: [OracleOutput] = (isMoving ? [.png, .still] : [.jpeg, .rough]).shuffled(using: &random)
    let file =
      isMoving ? OracleBody.moving.randomElement(using: &random) ?? 0 : Int.random(in: 0..<20, using: &random)
    return [
      .change(origin, OracleBehavior(answer: .file(file))), .remove(request.source),
      .load(request, .file(outputs[0])), .finish, .load(request, .file(outputs[1])),
    ]
  }
}
