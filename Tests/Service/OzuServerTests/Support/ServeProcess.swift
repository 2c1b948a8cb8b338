import Foundation
import OzuBase
import OzuTesting
import Testing

/// A real `ozu serve`, which ends with the test.
final class ServeProcess: Sendable {
  /// The lines that the process has printed. They are an object of their own, because the thread that reads them would
  /// otherwise keep this object, and with it the process, alive for ever.
  final class Output: Sendable {
    private let lines = Mutex<[String]>([])

    func withLock<Result: Sendable>(_ body: @Sendable (inout [String]) -> Result) -> Result {
      lines.withLock { body(&$0) }
    }
  }

  let process = Process()
  let lines = Output()

  /// - Parameter wrapper: a program that starts it, and its arguments; none by default.
  init(_ variables: [String: String], insecure: Bool = true, wrapper: [String] = []) throws {
    let command = wrapper + [try builtProgram("ozu").path, "serve"] + (insecure ? ["--insecure"] : [])
    process.executableURL = URL(fileURLWithPath: command[0])
    process.arguments = Array(command.dropFirst())
    process.environment = childEnvironment.merging([
      "OZU_LISTEN": "127.0.0.1:0", "OZU_PRIVATE_NETWORKS": "yes", "OZU_LOG": "no",
    ]) { $1 }.merging(variables) { $1 }
    let errors = Pipe()
    (process.standardOutput, process.standardError) = (FileHandle.nullDevice, errors)
    try process.run()
    Thread { [lines] in
      var rest = ""
      while true {
        let data = errors.fileHandleForReading.availableData
        if data.isEmpty { return }
        rest += String(decoding: data, as: UTF8.self)
        var parts = rest.components(separatedBy: "\n")
        rest = parts.removeLast()
        let new = parts
        lines.withLock { $0 += new }
      }
    }.start()
  }

  deinit { kill(process.processIdentifier, SIGKILL) }

  /// Returns the address that the process prints after "listening at".
  func place() async throws -> String {
    let prefix = "ozu: listening at "
    func find() -> String? {
      lines.withLock { $0.first { $0.hasPrefix(prefix) } }.map { String($0.dropFirst(prefix.count)) }
    }
    try await eventually(find() != nil || !process.isRunning)
    return try #require(find(), "\(lines.withLock { $0 })")
  }

  /// Returns the port when the process listens.
  func port() async throws -> Int {
    try #require(try await place().split(separator: ":").last.flatMap { Int($0) })
  }

  /// The value of a metric.
  func metric(_ name: String) async throws -> Int {
    let client = try TestClient(port: try await port())
    client.send("GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    let text = String(decoding: try await client.answer().body, as: UTF8.self)
    let line = text.split(separator: "\n").first { $0.hasPrefix("\(name) ") }
    return try #require(line?.split(separator: " ").last.flatMap { Int($0) })
  }

  /// Waits for its end. Returns its status.
  func ended() async throws -> Int32 {
    try await eventually(!process.isRunning)
    return process.terminationStatus
  }
}
