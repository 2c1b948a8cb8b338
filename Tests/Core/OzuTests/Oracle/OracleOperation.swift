import OzuTesting

@testable import Ozu

/// One step of a run.
enum OracleOperation: Sendable {
  enum Goal: Hashable, Sendable {
    case picture
    case file(OracleOutput)
    case bytes
    case header

    /// Whether the request says only where the bytes come from.
    var ignoresRecipe: Bool { self == .bytes || self == .header }
  }

  case load(OracleRequest, Goal)
  case prefetch([OracleRequest], toMemory: Bool)
  /// A load that is running, by its number among these.
  case cancel(Int)
  case prioritize(Int, ImagePriority)
  case remove(OracleSource)
  case removeEntry(OracleRequest)
  case removeFormat(OracleFormat)
  case removeAll
  case purgeMemory
  /// A new pipeline in the same folder, or in an empty one.
  case restart(losesDisk: Bool)
  case change(Int, OracleBehavior)
  /// The user wants to save data, or no longer.
  case saveData(Bool)
  case hold(Int)
  /// New answers overtake those that are held.
  case overtake(Int)
  case release(Int)
  case holdDecoding
  case releaseDecoding
  /// Both clocks go on.
  case wait(Int)
  /// The date changes, and the other clock does not.
  case setClock(Int)
  /// All that runs comes to its end.
  case finish

  /// The operations of a seed.
  static func operations(seed: UInt64) -> [OracleOperation] {
    var random = SeededGenerator(seed: seed)
    var recent: [OracleRequest] = []
    let count = Int.random(in: 15...30, using: &random)
    var operations: [OracleOperation] = []
    while operations.count < count {
      switch Int.random(in: 0..<100, using: &random) {
      case 0, 1: operations += lateAnswer(&random, &recent)
      case 2: operations += failure(&random, &recent)
      case 3: operations += keptColors(&random, &recent)
      case 4: operations += lateFormat(&random, &recent)
      default: operations.append(Self.random(&random, &recent))
      }
    }
    return extended(translated(operations, seed: seed), seed: seed)
  }

  /// The same operations with languages: some loads ask for another one, and some origins vary by it. By a generator of its own,
  /// so that the rest of a seed is what it was.
  private static func translated(_ operations: [OracleOperation], seed: UInt64) -> [OracleOperation] {
    var random = SeededGenerator(seed: seed &+ 1 << 32)
    return operations.map { operation in
      let isOther = Int.random(in: 0..<4, using: &random) == 0
      switch operation {
      case .load(var request, let goal):
        if isOther, case .web = request.source { request.variant = .german }
        return .load(request, goal)
      case .change(let origin, var behavior):
        behavior.varies = isOther && origin < OracleSource.webCount
        return .change(origin, behavior)
      default: return operation
      }
    }
  }

  /// A slow load is overtaken by a removal or a reload. Its late answer must replace nothing.
  private static func lateAnswer(_ random: inout SeededGenerator, _ recent: inout [OracleRequest])
    -> [OracleOperation]
  {
    var older = next(&random, &recent)
    guard let origin = older.source.origin, origin < OracleSource.webCount + OracleSource.fetcherCount else {
      return [.load(older, .picture)]
    }
    (older.cachePolicy, older.alternatives) = (.useCaches, [])
    let isReload = Bool.random(using: &random)
    var newer = older
    newer.cachePolicy = isReload ? .reload : .useCaches
    func file() -> OracleBehavior {
      OracleBehavior(answer: .file(Int.random(in: 0..<OracleBody.usualCount, using: &random)))
    }
    return [
      .change(origin, file()), .remove(older.source), .hold(origin), .load(older, goal(&random)),
      .change(origin, file()), .overtake(origin), isReload ? .purgeMemory : .remove(older.source),
      .load(newer, goal(&random)), .release(origin), .load(older, goal(&random)),
    ]
  }

  /// A picture, and the same with other colours and one more step.
  private static func keptColors(_ random: inout SeededGenerator, _ recent: inout [OracleRequest])
    -> [OracleOperation]
  {
    var request = next(&random, &recent)
    guard let origin = request.source.origin, let file = OracleBody.wide.randomElement(using: &random) else {
      return [.load(request, .picture)]
    }
    (request.cachePolicy, request.colorPolicy) = (.useCaches, .convertToSRGB)
    var other = request
    (other.colorPolicy, other.processors) = (.keep, request.processors + [.random(&random)])
    return [
      .change(origin, OracleBehavior(answer: .file(file))), .remove(request.source), .load(request, .picture),
      .load(other, .picture),
    ]
  }

  /// A format is removed while a load of it runs.
  private static func lateFormat(_ random: inout SeededGenerator, _ recent: inout [OracleRequest])
    -> [OracleOperation]
  {
    var request = next(&random, &recent)
    let format = OracleFormat.allCases.randomElement(using: &random)!
    guard let origin = request.source.origin else { return [.load(request, .picture)] }
    (request.cachePolicy, request.format) = (.useCaches, format)
    return [
      .remove(request.source), .hold(origin), .load(request, goal(&random)), .removeFormat(format),
      .release(origin), .load(request, goal(&random)),
    ]
  }

  /// A failure that is over, by the time that it is remembered or by a reload.
  private static func failure(_ random: inout SeededGenerator, _ recent: inout [OracleRequest])
    -> [OracleOperation]
  {
    var request = next(&random, &recent)
    guard let origin = request.source.origin, origin < OracleSource.webCount else {
      return [.load(request, .picture)]
    }
    (request.cachePolicy, request.alternatives) = (.useCaches, [])
    var reload = request
    reload.cachePolicy = .reload
    let status = [404, 403].randomElement(using: &random)!
    return [
      .remove(request.source), .change(origin, OracleBehavior(answer: .status(status))),
      .load(request, goal(&random)), .change(origin, .random(&random)),
      Bool.random(using: &random) ? .wait(4000) : .load(reload, .bytes), .load(request, goal(&random)),
    ]
  }

  private static func goal(_ random: inout SeededGenerator) -> Goal {
    let goals: [Goal] = [
      .picture, .picture, .picture, .picture, .picture, .picture, .picture, .file(.png), .file(.jpeg), .bytes,
      .bytes, .header,
    ]
    return goals.randomElement(using: &random)!
  }

  private static func random(_ random: inout SeededGenerator, _ recent: inout [OracleRequest])
    -> OracleOperation
  {
    func origin() -> Int { [0, 0, 0, 1, 2, 3, 4, 5].randomElement(using: &random)! }
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<54:
      let request = next(&random, &recent)
      return .load(request, goal(&random))
    case 54..<57:
      return .prefetch((0..<2).map { _ in next(&random, &recent) }, toMemory: Bool.random(using: &random))
    case 57..<60: return .cancel(Int.random(in: 0..<4, using: &random))
    case 60..<62:
      return .prioritize(
        Int.random(in: 0..<4, using: &random), ImagePriority.allCases.randomElement(using: &random)!)
    case 62..<67: return .remove(recent.randomElement(using: &random)?.source ?? .web(0, account: 0))
    case 67: return .removeEntry(next(&random, &recent))
    case 68..<70: return .removeFormat(OracleFormat.allCases.randomElement(using: &random)!)
    case 70..<72: return .removeAll
    case 72..<75: return .purgeMemory
    case 75..<78: return .restart(losesDisk: Int.random(in: 0..<4, using: &random) == 0)
    case 78..<84: return .change(origin(), .random(&random))
    case 84..<87: return .hold(origin())
    case 87: return .overtake(origin())
    case 88: return .release(origin())
    case 89: return .holdDecoding
    case 90: return .releaseDecoding
    case 91..<95: return .wait([1, 30, 61, 700, 4000].randomElement(using: &random)!)
    case 95..<97: return .setClock([-100_000, -50, 50, 100_000].randomElement(using: &random)!)
    default: return .finish
    }
  }

  /// A new request, or a recent one that is changed a little: caches only matter for what was asked before.
  private static func next(_ random: inout SeededGenerator, _ recent: inout [OracleRequest]) -> OracleRequest
  {
    var request = OracleRequest.random(&random)
    if let old = recent.randomElement(using: &random), Int.random(in: 0..<100, using: &random) < 65 {
      let new = request
      request = old
      switch Int.random(in: 0..<14, using: &random) {
      case 0, 1, 2: request.resize = new.resize
      case 3: request.cachePolicy = new.cachePolicy
      case 4: request.processors = new.processors
      case 5: request.processors += new.processors
      case 6: (request.colorPolicy, request.headroom) = (new.colorPolicy, new.headroom)
      case 7: request.allowsTruncation = !old.allowsTruncation
      case 8: request.format = new.format
      case 9: request.source = new.source
      case 10: vary(&request, &random)
      case 11: (request.colorPolicy, request.processors) = (.keep, old.processors + [.random(&random)])
      default: break
      }
    }
    if request.source.hasOwnKey { request.alternatives = [] }
    recent = recent.suffix(5) + [request]
    return request
  }

  /// Changes one field of the resize: the others are equal.
  private static func vary(_ request: inout OracleRequest, _ random: inout SeededGenerator) {
    guard var resize = request.resize else { return }
    switch Int.random(in: 0..<6, using: &random) {
    case 0: resize.light = resize.light == .linear ? .asStored : .linear
    case 1: resize.kernel = ResamplingKernel.allCases.randomElement(using: &random)!
    case 2: resize.quality = resize.quality == .fast ? .balanced : .fast
    case 3: resize.mode = ScaleMode.allCases.randomElement(using: &random)!
    case 4: resize.allowsUpscaling.toggle()
    default: resize.region = resize.region == nil ? PixelRectangle(x: 4, y: 4, width: 24, height: 18) : nil
    }
    request.resize = resize
  }
}
