import Foundation
import OzuBase
import OzuHTTP
import OzuTesting

@testable import Ozu

/// How an origin answers now.
struct OracleBehavior: Hashable, Sendable, CustomStringConvertible {
  enum Answer: Hashable, Sendable {
    /// The file of this index; an account gets the file after it, and a request of another variant one before it
    /// where the origin varies by that.
    case file(Int)
    case status(Int)
    case disconnection
    /// None within the request's own time limits.
    case timeout
    /// None, because the user wants to save data and the request has a source for that.
    case savingData
  }

  enum Lifetime: Hashable, Sendable {
    case seconds(Int)
    /// No rule: the pipeline assumes an hour.
    case unstated
    case noCache
    case noStore
    /// A minute, and never after that without asking.
    case strictMinute
    /// A minute, and ten more while the origin is asked in the background.
    case minuteAndWindow
    /// Until it is removed or reloaded: for fetchers.
    case endless

    var field: String? {
      switch self {
      case .seconds(let seconds): "max-age=\(seconds)"
      case .noCache: "no-cache"
      case .noStore: "no-store"
      case .strictMinute: "max-age=60, must-revalidate"
      case .minuteAndWindow: "max-age=60, stale-while-revalidate=600"
      case .unstated, .endless: nil
      }
    }
  }

  var answer: Answer
  var lifetime = Lifetime.seconds(600)
  var isValidated = true
  var isRedirected = false
  /// Whether other variants are sent other files, and the answers say so by `Vary`.
  var varies = false
  /// Whether bodies from the web end in the middle, with a part that can be resumed where it has an ETag.
  var breaksOff = false

  static func random(_ random: inout SeededGenerator) -> OracleBehavior {
    func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
    let lifetimes: [Lifetime] = [
      .seconds(600), .seconds(600), .seconds(600), .seconds(60), .unstated, .noCache, .noStore, .strictMinute,
      .minuteAndWindow,
    ]
    var behavior = OracleBehavior(answer: .file(Int.random(in: 0..<OracleBody.usualCount, using: &random)))
    if chance(8) { behavior.answer = .status([404, 403, 410, 500, 503].randomElement(using: &random)!) }
    if chance(6) { behavior.answer = .disconnection }
    behavior.lifetime = lifetimes.randomElement(using: &random)!
    behavior.isValidated = chance(70)
    behavior.isRedirected = chance(10)
    behavior.breaksOff = chance(7)
    return behavior
  }

  func file(for account: Int, _ variant: OracleVariant = .none) -> Int? {
    guard case .file(let index) = answer else { return nil }
    let offset = varies ? variant.offset : 0
    return (index + account + OracleBody.all.count - offset) % OracleBody.all.count
  }

  var description: String {
    var text: String
    switch answer {
    case .file(let index): text = "file \(index) (\(OracleBody.all[index].name)) \(lifetime)"
    case .status(let status): text = "status \(status) \(lifetime)"
    case .disconnection, .timeout, .savingData: text = "\(answer)"
    }
    if isValidated { text += " with ETag" }
    if isRedirected { text += " redirected" }
    if varies { text += " by variant" }
    if breaksOff, file(for: 0) != nil { text += " broken off" }
    return text
  }
}

/// A request that an origin received, and its answer.
struct OracleExchange: Sendable {
  let source: OracleSource
  let tick: Int
  /// When it was answered; `nil` while it is held.
  var endTick: Int?
  let askDate: Date
  var answerDate: Date
  let behavior: OracleBehavior
  /// The variant that was asked for, which counts only where the origin varies by it.
  let variant: OracleVariant
  /// The file that the answer is, sent or confirmed.
  let file: Int?

  var isFile: Bool { if case .file = source { true } else { false } }
}

/// The origins of a run: they answer the HTTP client and the fetchers, hold answers at gates, and record every request.
///
/// One lock guards the state.
final class OracleOrigins: Sendable {
  private struct State {
    var tick = 0
    var behaviors: [OracleBehavior]
    /// The gate of new answers, and the closed gates of those that are late.
    var gates: [Gate]
    var lateGates: [[Gate]]
    var isHeld: [Bool]
    /// Whether the user wants to save data.
    var savesData = false
    var exchanges: [OracleExchange] = []
  }

  let client = FakeHTTPClient()
  let clock = ManualClock()
  /// The settings of the pipeline, on which requests depend.
  let settings: OracleSettings
  private let state: Mutex<State>

  static let count = OracleSource.webCount + OracleSource.fetcherCount + OracleSource.fileCount
  /// The folder of the local files, made when the first is written.
  private let folder = FileManager.default.temporaryDirectory.appending(path: "oracle-\(UUID().uuidString)")

  init(_ settings: OracleSettings) {
    self.settings = settings
    state = Mutex(
      State(
        behaviors: (0..<Self.count).map {
          OracleBehavior(answer: .file($0), varies: $0 < OracleSource.webCount)
        },
        gates: (0..<Self.count).map { _ in Gate(isOpen: true) },
        lateGates: Array(repeating: [], count: Self.count),
        isHeld: Array(repeating: false, count: Self.count)))
    client.reply { [unowned self] in self.reply(to: $0) }
  }

  /// Writes the local files as they are at the beginning.
  func prepare() throws {
    for number in 0..<OracleSource.fileCount {
      try write(OracleBehavior(answer: .file(number + 5)), to: number)
    }
  }

  // MARK: For the runner

  var exchanges: [OracleExchange] { state.withLock { $0.exchanges } }

  func setTick(_ tick: Int) { state.withLock { $0.tick = tick } }

  func setSavesData(_ savesData: Bool) { state.withLock { $0.savesData = savesData } }

  func set(_ behavior: OracleBehavior, of origin: Int) throws {
    state.withLock { $0.behaviors[origin] = behavior }
    let number = origin - OracleSource.webCount - OracleSource.fetcherCount
    if number >= 0 { try write(behavior, to: number) }
  }

  // MARK: Local files

  func file(_ number: Int) -> URL { folder.appending(path: "\(number).picture") }

  /// Replaces a local file, or removes it.
  private func write(_ behavior: OracleBehavior, to number: Int) throws {
    let (url, file) = (file(number), behavior.file(for: 0))
    // A prefetch may look at it meanwhile: another file takes its place at once.
    if file == nil { try? FileManager.default.removeItem(at: url) }
    let tick = state.withLock { state in
      if let last = state.exchanges.lastIndex(where: { $0.source == .file(number) }) {
        state.exchanges[last].endTick = state.tick
      }
      state.exchanges.append(
        OracleExchange(
          source: .file(number), tick: state.tick, askDate: .distantPast, answerDate: .distantPast,
          behavior: behavior, variant: .none, file: file))
      return state.tick
    }
    guard let file else { return }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let other = url.appendingPathExtension("new")
    try OracleBody.all[file].data.write(to: other)
    // The clock of the file system may be coarser than two changes of a run.
    let date = Date(timeIntervalSince1970: 1_700_000_000 + Double(tick))
    try FileManager.default.setAttributes(
      [.modificationDate: date], ofItemAtPath: other.path(percentEncoded: false))
    guard rename(other.path(percentEncoded: false), url.path(percentEncoded: false)) == 0 else {
      throw CocoaError(.fileWriteUnknown)
    }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Answers that begin from now on wait.
  func hold(_ origin: Int) {
    state.withLock { state in
      guard !state.isHeld[origin] else { return }
      state.isHeld[origin] = true
      state.gates[origin] = Gate()
    }
  }

  /// Answers that begin from now on are sent at once, and those that wait go on waiting.
  func overtake(_ origin: Int) {
    state.withLock { state in
      guard state.isHeld[origin] else { return }
      state.isHeld[origin] = false
      state.lateGates[origin].append(state.gates[origin])
      state.gates[origin] = Gate(isOpen: true)
    }
  }

  /// The answers of an origin go on.
  func release(_ origin: Int) {
    let (tick, date) = (state.withLock { $0.tick }, clock.currentDate)
    let gates = state.withLock { state in
      state.isHeld[origin] = false
      for index in state.exchanges.indices
      where !state.exchanges[index].isFile && state.exchanges[index].endTick == nil
        && state.exchanges[index].source.origin == origin
      {
        (state.exchanges[index].endTick, state.exchanges[index].answerDate) = (tick, date)
      }
      defer { state.lateGates[origin] = [] }
      return state.lateGates[origin] + [state.gates[origin]]
    }
    for gate in gates { gate.open() }
  }

  var isHolding: Bool {
    state.withLock { $0.isHeld.contains(true) || $0.lateGates.contains { !$0.isEmpty } }
  }

  /// The number of answers that wait at gates.
  var heldCount: Int {
    state.withLock { $0.gates + $0.lateGates.flatMap(\.self) }.reduce(0) { $0 + $1.waitingCount }
  }

  // MARK: Answers

  /// - Parameter request: the request of a web client.
  private func begin(
    _ source: OracleSource, _ number: Int, for request: HTTPRequest? = nil
  ) -> (behavior: OracleBehavior, gate: Gate, file: Int?) {
    let date = clock.currentDate
    let (variant, tag) = (OracleVariant(request?.headers ?? [:]), request?.headers["If-None-Match"])
    let isHasty = request?.timeouts.connect == OracleRequest.hastyTimeouts.connect
    let avoidsData = request?.allowsConstrainedNetworks == false
    return state.withLock { state in
      var behavior = state.behaviors[number]
      var account = 0
      if case .web(_, let its) = source { account = its } else { behavior.lifetime = .endless }
      if isHasty, state.isHeld[number] { behavior.answer = .timeout }
      if avoidsData, state.savesData { behavior.answer = .savingData }
      let file = behavior.file(for: account, variant)
      let isKnown = behavior.isValidated && file.map { tag?.contains(Self.tag($0)) ?? false } ?? false
      if isKnown || file == nil || behavior.lifetime == .endless { behavior.breaksOff = false }
      state.exchanges.append(
        OracleExchange(
          source: source, tick: state.tick, endTick: state.isHeld[number] ? nil : state.tick, askDate: date,
          answerDate: date, behavior: behavior, variant: variant, file: behavior.breaksOff ? nil : file))
      return (behavior, state.gates[number], file)
    }
  }

  private static func tag(_ file: Int) -> String { "\"\(file)\"" }

  private func reply(to request: HTTPRequest) -> FakeHTTPReply? {
    let host = request.url.host()
    guard let number = (0..<OracleSource.webCount).first(where: { OracleSource.url($0).host() == host })
    else {
      return nil
    }
    let account = request.headers["Authorization"] ?? request.headers[OracleSource.accountField]
    let source = OracleSource.web(number, account: account.flatMap { Int($0) } ?? 0)
    let known = request.headers["If-None-Match"]
    let (behavior, gate, file) = begin(source, number, for: request)
    var reply: FakeHTTPReply
    switch behavior.answer {
    case .disconnection: return .failure(.connectionLost).held(by: gate)
    case .timeout: return .failure(.timedOut(.total)).held(by: gate)
    case .savingData: return .failure(.constrainedNetwork).held(by: gate)
    case .status(let status): reply = .status(status)
    case .file:
      let tag = Self.tag(file ?? 0)
      let body = OracleBody.all[file ?? 0].data
      let isKnown = behavior.isValidated && known?.contains(tag) == true
      reply = isKnown ? .status(304) : .ok(body).servingRanges().inPieces(of: 700)
      if behavior.isValidated { reply = reply.header("ETag", tag) }
      if behavior.breaksOff { reply = reply.failing(.connectionLost, afterByteCount: body.count / 3) }
    }
    if let field = behavior.lifetime.field { reply = reply.header("Cache-Control", field) }
    if behavior.varies { reply = reply.header("Vary", "\(OracleVariant.languageField), Accept") }
    if behavior.isRedirected { reply = reply.redirected(to: request.url.appending(path: "elsewhere")) }
    return reply.held(by: gate)
  }

  func fetch(_ number: Int) async throws -> Data {
    let (behavior, gate, file) = begin(.fetcher(number), OracleSource.webCount + number)
    try await gate.pass()
    guard let file else { throw OracleFetchError(text: "\(behavior)") }
    return OracleBody.all[file].data
  }
}

struct OracleFetchError: Error {
  let text: String
}
