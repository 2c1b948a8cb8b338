import Foundation
import OzuBase
import OzuHTTP

/// Performs requests from standard input, one JSON object in a line, through one HTTP cache.
///
/// Requests for one address wait for each other; others run at the same time (`RequestQueue`).
struct JSONLinesSession: Sendable {
  private let cache: HTTPCache
  private let hostRule: HTTPHostRule
  private let console: Console
  private let answersDisconnection: Bool
  private let writer: AnswerWriter

  /// - Parameters:
  ///   - hostRule: the hosts whose answers are given, stored ones too.
  ///   - answersDisconnection: whether the answer is 504 when the origin cannot be reached, as of a gateway
  ///     (RFC 9111 §5.2.2.2), instead of an error.
  init(cache: HTTPCache, hostRule: HTTPHostRule, console: Console, answersDisconnection: Bool) {
    (self.cache, self.hostRule) = (cache, hostRule)
    (self.console, self.answersDisconnection) = (console, answersDisconnection)
    writer = AnswerWriter(console: console)
  }

  /// A request, or the reason why a line has none. `id` is returned unchanged.
  struct Line: Sendable {
    let id: JSON
    let request: Result<(HTTPRequest, HTTPCacheMode), LineError>
  }

  struct LineError: Error {
    let message: String
  }

  /// Performs every line. Returns false when a line was not a request; failed exchanges are answers.
  func run() async -> Bool {
    var isSound = true
    let queue = RequestQueue()
    await withDiscardingTaskGroup { group in
      while let lines = await nextLines() {
        for text in lines where !text.allSatisfy(\.isWhitespace) {
          let line = Self.parse(text)
          guard case .success(let (request, mode)) = line.request else {
            isSound = false
            await write(line.id, line.request.map { _ in [] }, isUrgent: true)
            continue
          }
          let address = HTTPCacheKey(HTTPRequest(url: request.url)).resource
          let job = RequestQueue.Job(id: line.id, request: request, mode: mode, address: address)
          if queue.add(job) { group.addTask { await perform(job, of: queue) } }
          await queue.room()
        }
      }
    }
    await writer.finish()
    return isSound
  }

  /// Performs a job and those that come after it.
  private func perform(_ first: RequestQueue.Job, of queue: RequestQueue) async {
    var next: RequestQueue.Job? = first
    while let job = next {
      let (outcome, byteCount) = await answer(to: job)
      await write(job.id, outcome, byteCount: byteCount, isUrgent: queue.isLast(job))
      next = queue.next(after: job.address)
    }
  }

  private func nextLines() async -> [String]? {
    try? await BlockingWork.run { console.readLines() }
  }

  private func answer(
    to job: RequestQueue.Job
  ) async -> (Result<[(String, JSON)], LineError>, byteCount: Int) {
    do throws(HTTPError) {
      try hostRule.check(job.request.url)
      let answer = try await cache.response(for: job.request, mode: job.mode)
      let headers = answer.head.headers.map { JSON.array([.string($0.name), .string($0.value)]) }
      return (
        .success([
          ("status", .integer(answer.status)), ("headers", .array(headers)), ("body", .base64(answer.body)),
          ("from", .string(answer.decision.place.rawValue)), ("reason", .string(answer.decision.reason)),
        ]), answer.body.count / 3 * 4 + 2048
      )
    } catch {
      guard answersDisconnection, error.isDisconnection else {
        return (.failure(LineError(message: error.message)), 0)
      }
      return (
        .success([
          ("status", .integer(504)), ("headers", .array([])), ("body", .string("")),
          ("from", .string(HTTPDecision.Place.network.rawValue)), ("reason", .string(error.message)),
        ]), 0
      )
    }
  }

  private func write(
    _ id: JSON, _ outcome: Result<[(String, JSON)], LineError>, byteCount: Int = 0, isUrgent: Bool
  ) async {
    let members =
      switch outcome {
      case .success(let members): members
      case .failure(let error): [("error", JSON.string(error.message))]
      }
    var line: [UInt8] = []
    line.reserveCapacity(byteCount)
    JSON.object([("id", id)] + members + JSON.heading("answer")).write(to: &line)
    line.append(0x0A)
    await writer.write(line, isUrgent: isUrgent)
  }

  // MARK: Reading

  static func parse(_ text: String) -> Line {
    guard let value = try? JSONSerialization.jsonObject(with: Data(text.utf8)),
      let object = value as? [String: Any]
    else { return Line(id: .null, request: .failure(LineError(message: "the line is not a JSON object"))) }
    let id = object["id"].map(identity) ?? .null
    do throws(LineError) {
      return Line(id: id, request: .success(try request(object)))
    } catch {
      return Line(id: id, request: .failure(error))
    }
  }

  /// The `id` of a line, unchanged: Booleans do not become numbers, and large integers keep all digits.
  private static func identity(_ value: Any) -> JSON {
    if let text = value as? String { return .string(text) }
    // "q" is a 64-bit integer, not a Boolean. It needs no conversion through text.
    if let number = value as? NSNumber, number.objCType.pointee == CChar(UInt8(ascii: "q")) {
      return .integer(number.intValue)
    }
    let data = try? JSONSerialization.data(
      withJSONObject: value, options: [.fragmentsAllowed, .sortedKeys, .withoutEscapingSlashes])
    return data.map { .verbatim(String(decoding: $0, as: UTF8.self)) } ?? .null
  }

  private static func request(
    _ object: [String: Any]
  ) throws(LineError) -> (HTTPRequest, HTTPCacheMode) {
    guard let text = try string("url", in: object), let url = URL(webAddress: text) else {
      throw LineError(message: "\"url\" is missing or malformed")
    }
    var request = HTTPRequest(url: url)
    if let method = try string("method", in: object) { request.method = HTTPMethod(rawValue: method) }
    if let headers = member("headers", in: object) {
      guard let pairs = headers as? [[String]], pairs.allSatisfy({ $0.count == 2 }) else {
        throw LineError(message: "\"headers\" is a list of pairs, each a name and a value")
      }
      for pair in pairs { request.headers.add(name: pair[0], value: pair[1]) }
    }
    if let text = try string("body", in: object) {
      guard let body = Data(base64Encoded: text) else { throw LineError(message: "\"body\" is not base64") }
      request.body = body
    }
    if let redirect = try string("redirect", in: object) {
      guard ["follow", "manual"].contains(redirect) else {
        throw LineError(message: "\"redirect\" is follow or manual")
      }
      if redirect == "manual" { request.redirectPolicy = .manual }
    }
    guard let mode = HTTPCacheMode(rawValue: try string("cache", in: object) ?? "default") else {
      throw LineError(message: "\"cache\" is not one of the modes")
    }
    return (request, mode)
  }

  /// A member of the object; `nil` also for `null`.
  private static func member(_ name: String, in object: [String: Any]) -> Any? {
    object[name].flatMap { $0 is NSNull ? nil : $0 }
  }

  /// A member that must be text. A value of another kind is an error and must not be ignored.
  private static func string(_ name: String, in object: [String: Any]) throws(LineError) -> String? {
    guard let value = member(name, in: object) else { return nil }
    guard let text = value as? String else { throw LineError(message: "\"\(name)\" is not a text") }
    return text
  }
}

/// Writes complete lines in their order, on a dispatch queue of its own: a slow reader delays this queue and no thread
/// that other work needs.
///
/// Lines that come within a millisecond after a write go into the next one, unless one of them is urgent: waking the
/// queue and writing take more time than making a line. `write` waits only while too many bytes are pending. One lock
/// guards the pending bytes.
final class AnswerWriter: Sendable {
  private struct State {
    var pending = Data()
    var isWriting = false
    /// Whether the pending bytes are written without a pause.
    var isUrgent = false
    /// Calls of `write` that wait for back-pressure to end, and `finish`.
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  /// `write` waits while more bytes are pending.
  private static let maximumPendingByteCount = 256 << 10
  /// From this count on, pending bytes are written without a pause.
  private static let batchByteCount = 64 << 10

  private let console: Console
  private let queue = DispatchQueue(label: "ozu.cli.output")
  private let state = Mutex(State())

  init(console: Console) {
    self.console = console
  }

  /// Adds a line to the bytes that are written next.
  ///
  /// - Parameter isUrgent: whether to write it without waiting for more lines.
  func write(_ line: [UInt8], isUrgent: Bool) async {
    let (isFirst, isFull) = state.withLock { state in
      state.pending.append(contentsOf: line)
      state.isUrgent = state.isUrgent || isUrgent
      defer { state.isWriting = true }
      return (!state.isWriting, state.pending.count > Self.maximumPendingByteCount)
    }
    if isFirst { queue.async { self.drain() } }
    if isFull { await room() }
  }

  /// Returns when everything is written.
  func finish() async {
    while state.withLock({ state in
      state.isUrgent = true
      return state.isWriting
    }) { await room() }
  }

  private func room() async {
    await withCheckedContinuation { continuation in
      let isWriting = state.withLock { state in
        if state.isWriting { state.waiters.append(continuation) }
        return state.isWriting
      }
      if !isWriting { continuation.resume() }
    }
  }

  private func drain() {
    var capacity = 0
    while true {
      let (batch, wasUrgent, waiters) = state.withLock { state in
        let (batch, wasUrgent) = (state.pending, state.isUrgent)
        state.pending = Data(capacity: capacity)
        state.isWriting = !batch.isEmpty
        state.isUrgent = false
        defer { state.waiters = [] }
        return (batch, wasUrgent, state.waiters)
      }
      for waiter in waiters { waiter.resume() }
      guard !batch.isEmpty else { return }
      console.writeData(batch)
      capacity = min(batch.count, Self.maximumPendingByteCount)
      // No pause for urgent lines: their client sends the next request when it has the answer.
      let isDue = state.withLock { $0.isUrgent || $0.pending.count >= Self.batchByteCount }
      if !wasUrgent, !isDue { Thread.sleep(forTimeInterval: 0.001) }
    }
  }
}
