import Foundation
import OzuBase
import OzuTesting

@testable import OzuSharedStores

/// A `redis-server` of the system, on a Unix socket in a folder of its own. The process belongs to the test that made it.
final class RealRedis: Sendable {
  static let program = installedProgram("redis-server")

  let path: String
  private let folder: URL
  private let options: [String]
  private let process: Mutex<Process?>

  /// Starts a server, and returns when it answers.
  init(_ options: String...) async throws {
    folder = FileManager.default.temporaryDirectory.appending(
      path: "ozu-redis-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    path = folder.path + "/socket"
    self.options = options
    process = Mutex(nil)
    try await start()
  }

  deinit {
    process.withLock { process in
      if let process, process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }
    try? FileManager.default.removeItem(at: folder)
  }

  /// Starts the server, empty.
  func start() async throws {
    let new = Process()
    new.executableURL = URL(fileURLWithPath: Self.program ?? "")
    new.arguments =
      ["--port", "0", "--unixsocket", path, "--save", "", "--dir", folder.path, "--daemonize", "no"] + options
    (new.standardOutput, new.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
    try new.run()
    process.withLock { $0 = new }
    var configuration = RedisConfiguration(nodes: [.unix(path)])
    configuration.deadline = .seconds(60)
    configuration.breaker.failureLimit = .max
    let probe = RedisStore(configuration)
    // Every answer is accepted: a server with a password refuses the command.
    try await eventually(isAnswering(probe))
  }

  private func isAnswering(_ probe: RedisStore) -> Bool {
    do throws(RedisError) {
      _ = try probe.ask(probe.nodes[0], RESPCommand("PING"))
      return true
    } catch {
      if case .refused = error.reason { return true }
      return false
    }
  }

  private func signal(_ signal: Int32) {
    process.withLock { process in
      if let process { _ = Foundation.kill(process.processIdentifier, signal) }
    }
  }

  /// Ends the server as a crash does, and returns when it has ended.
  func crash() {
    signal(SIGKILL)
    process.withLock { $0?.waitUntilExit() }
    unlink(path)
  }

  /// Stops the server: the system still accepts connections.
  func hang() { signal(SIGSTOP) }

  /// Continues a stopped server.
  func continueRunning() { signal(SIGCONT) }
}
