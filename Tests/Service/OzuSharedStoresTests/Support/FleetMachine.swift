import Foundation
import OzuHTTP
import OzuTesting
import Testing

/// A running `ozu serve`, which ends with the test.
final class FleetMachine: Sendable {
  /// Enough connections for requests that wait, and for the metrics beside them.
  private static let client: DefaultHTTPClient = {
    var configuration = HTTPClientConfiguration()
    configuration.maximumConnectionsPerHost = 64
    configuration.maximumConcurrentRequests = 512
    return DefaultHTTPClient(configuration: configuration)
  }()

  private let process = Process()
  private let settings: URL?
  let port: Int

  /// Starts one, and returns when it listens.
  ///
  /// - Parameter settings: the text of a file of settings, which it reads again at SIGHUP; `nil` for no file.
  init(_ variables: [String: String], settings: String? = nil) async throws {
    process.executableURL = try builtProgram("ozu")
    process.arguments = ["serve", "--insecure"]
    if let settings {
      let url = FileManager.default.temporaryDirectory.appending(path: "ozu-\(UUID().uuidString).conf")
      try Data(settings.utf8).write(to: url)
      process.arguments? += ["--config", url.path]
      self.settings = url
    } else {
      self.settings = nil
    }
    // By default a machine waits 50 ms for Redis, and then works without it. That is too short on a busy computer.
    process.environment = childEnvironment.merging([
      "OZU_LISTEN": "127.0.0.1:0", "OZU_PRIVATE_NETWORKS": "yes", "OZU_LOG": "no",
      "OZU_REDIS_DEADLINE": "5000",
    ]) { $1 }.merging(variables) { $1 }
    let errors = Pipe()
    process.standardError = errors
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    let line = try await blocking {
      var text = ""
      while !text.contains("\n") {
        let data = errors.fileHandleForReading.availableData
        if data.isEmpty { return text }
        text += String(decoding: data, as: UTF8.self)
      }
      return text
    }
    port = try #require(line.split(separator: "\n").first?.split(separator: ":").last.flatMap { Int($0) })
  }

  deinit {
    signal(SIGKILL)
    if let settings { try? FileManager.default.removeItem(at: settings) }
  }

  func signal(_ number: Int32) { kill(process.processIdentifier, number) }

  func get(_ path: String) async throws -> (status: Int, body: Data) {
    let url = try #require(URL(string: "http://127.0.0.1:\(port)\(path)"))
    let cache = HTTPCache(client: Self.client, storage: InMemoryHTTPCacheStorage())
    let answer = try await cache.response(for: HTTPRequest(url: url), mode: .noStore)
    return (answer.status, answer.body)
  }

  /// The value of a metric with its labels; the sum, if only the beginning of the labels is given.
  func metric(_ name: String) async throws -> Int {
    let text = String(decoding: try await get("/metrics").body, as: UTF8.self)
    let values = text.split(separator: "\n").compactMap { line -> Int? in
      guard line.hasPrefix(name), let last = line.split(separator: " ").last,
        line.dropFirst(name.count).first == " " || name.contains("{")
      else { return nil }
      return Int(last)
    }
    try #require(!values.isEmpty, "\(name)")
    return values.reduce(0, +)
  }
}

extension [FleetMachine] {
  /// The values of a metric on all of them.
  func metrics(_ name: String) async throws -> [Int] {
    var values: [Int] = []
    for machine in self { values.append(try await machine.metric(name)) }
    return values
  }
}
