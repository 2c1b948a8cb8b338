import Foundation
import OzuHTTP
import OzuSynchronization

/// Requests from standard input, one JSON object in a line, through one HTTP cache.
///
/// Those of one address wait for each other; others run at the same time, a bounded number of them.
struct JSONLinesSession: Sendable {
  let cache: HTTPCache
  let console: Console

  private let outputQueue = DispatchQueue(label: "ozu.cli.output")

  private static let concurrentRequests = 64

  init(cache: HTTPCache, console: Console) {
    (self.cache, self.console) = (cache, console)
  }

  /// A request, or why a line is none. `id` is given back as it came.
  private struct Line: Sendable {
    let id: JSON
    let request: Result<(HTTPRequest, HTTPCacheMode), LineError>
  }

  private struct LineError: Error {
    let message: String
  }

  /// A request that runs, by its place among all: the last of its address is the one that the next waits for.
  private struct Turn: Sendable {
    let address: String
    let number: Int
  }

  /// Performs every line. Returns false when one of them was no request; failed exchanges are answers.
  func run() async -> Bool {
    let isSound = Mutex(true)
    await withTaskGroup(of: Turn.self) { group in
      var last: [String: (number: Int, task: Task<Void, Never>)] = [:]
      var (runningCount, number) = (0, 0)
      while let text = await nextLine() {
        guard !text.allSatisfy(\.isWhitespace) else { continue }
        let line = Self.parse(text)
        guard case .success(let (request, mode)) = line.request else {
          isSound.withLock { $0 = false }
          await write(line.id, line.request.map { _ in [] })
          continue
        }
        if runningCount >= Self.concurrentRequests {
          if let ended = await group.next(), last[ended.address]?.number == ended.number {
            last[ended.address] = nil
          }
          runningCount -= 1
        }
        let address = HTTPCacheKey(HTTPRequest(url: request.url)).resource
        let before = last[address]
        let task = Task {
          await before?.task.value
          await perform(line.id, request, mode)
        }
        number += 1
        let turn = Turn(address: address, number: number)
        last[address] = (number, task)
        group.addTask {
          await task.value
          return turn
        }
        runningCount += 1
      }
    }
    return isSound.withLock { $0 }
  }

  private func nextLine() async -> String? {
    try? await BlockingWork.run { console.readLine() }
  }

  private func perform(_ id: JSON, _ request: HTTPRequest, _ mode: HTTPCacheMode) async {
    do throws(HTTPError) {
      let answer = try await cache.response(for: request, mode: mode)
      let headers = answer.head.headers.map { JSON.array([.string($0.name), .string($0.value)]) }
      await write(
        id,
        .success([
          ("status", .integer(answer.status)), ("headers", .array(headers)),
          ("body", .string(answer.body.base64EncodedString())),
          ("from", .string(answer.decision.place.rawValue)), ("reason", .string(answer.decision.reason)),
        ]))
    } catch {
      await write(id, .failure(LineError(message: error.message)))
    }
  }

  private func write(_ id: JSON, _ outcome: Result<[(String, JSON)], LineError>) async {
    let members =
      switch outcome {
      case .success(let members): members
      case .failure(let error): [("error", JSON.string(error.message))]
      }
    let text = JSON.object([("id", id)] + members).text
    // A reader that is slow holds up this queue, and no thread that others need.
    await withCheckedContinuation { continuation in
      outputQueue.async {
        console.print(text)
        continuation.resume()
      }
    }
  }

  // MARK: Reading

  private static func parse(_ text: String) -> Line {
    guard let value = try? JSONSerialization.jsonObject(with: Data(text.utf8)),
      let object = value as? [String: Any]
    else { return Line(id: .null, request: .failure(LineError(message: "the line is no JSON object"))) }
    let id = object["id"].map(identity) ?? .null
    do throws(LineError) {
      return Line(id: id, request: .success(try request(object)))
    } catch {
      return Line(id: id, request: .failure(error))
    }
  }

  /// Whatever names a line, as it came: a truth is no number, and a large number is none that is near it.
  private static func identity(_ value: Any) -> JSON {
    if let text = value as? String { return .string(text) }
    let data = try? JSONSerialization.data(
      withJSONObject: value, options: [.fragmentsAllowed, .sortedKeys, .withoutEscapingSlashes])
    return data.map { .verbatim(String(decoding: $0, as: UTF8.self)) } ?? .null
  }

  private static func request(
    _ object: [String: Any]
  ) throws(LineError) -> (HTTPRequest, HTTPCacheMode) {
    guard let text = try string("url", in: object), let url = URL(string: text) else {
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
      guard let body = Data(base64Encoded: text) else { throw LineError(message: "\"body\" is no base64") }
      request.body = body
    }
    if let redirect = try string("redirect", in: object) {
      guard ["follow", "manual"].contains(redirect) else {
        throw LineError(message: "\"redirect\" is follow or manual")
      }
      if redirect == "manual" { request.redirectPolicy = .manual }
    }
    guard let mode = HTTPCacheMode(rawValue: try string("cache", in: object) ?? "default") else {
      throw LineError(message: "\"cache\" is none of the modes")
    }
    return (request, mode)
  }

  /// A member that is there; one that is `null` is not.
  private static func member(_ name: String, in object: [String: Any]) -> Any? {
    object[name].flatMap { $0 is NSNull ? nil : $0 }
  }

  /// A member that is there and has to be text: what is of another kind must not be passed over.
  private static func string(_ name: String, in object: [String: Any]) throws(LineError) -> String? {
    guard let value = member(name, in: object) else { return nil }
    guard let text = value as? String else { throw LineError(message: "\"\(name)\" is no text") }
    return text
  }
}
