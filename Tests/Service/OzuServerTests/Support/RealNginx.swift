import Foundation
import OzuTesting

/// An nginx of the system in a folder of its own, which listens at a Unix socket there. It ends with the test.
final class RealNginx: Sendable {
  static let program = installedProgram("nginx")

  let folder: URL
  private let process: Process

  var socket: String { folder.path + "/nginx.sock" }

  /// Starts one, and returns when it takes connections.
  ///
  /// - Parameter servers: makes the content of `http { … }` for a folder.
  init(_ servers: (String) throws -> String) async throws {
    folder = FileManager.default.temporaryDirectory.appending(
      path: "ozu-nginx-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let path = folder.path
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
      "\($0)_temp_path \(path)/\($0);"
    }
    .joined(separator: " ")
    let text = """
      \(geteuid() == 0 ? "user root;" : "")
      daemon off; worker_processes 1; pid \(path)/pid; error_log \(path)/errors;
      events { worker_connections 1024; }
      http { access_log off; \(temporary)
      \(try servers(path))
      }

      """
    try text.write(toFile: path + "/nginx.conf", atomically: true, encoding: .utf8)
    process = Process()
    process.executableURL = URL(fileURLWithPath: Self.program ?? "")
    process.arguments = ["-e", path + "/errors", "-p", path, "-c", path + "/nginx.conf"]
    (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
    try process.run()
    try await eventually(isListening || !process.isRunning)
    guard process.isRunning else {
      throw NotStarted(reason: (try? String(contentsOfFile: path + "/errors", encoding: .utf8)) ?? "")
    }
  }

  struct NotStarted: Error { let reason: String }

  private var isListening: Bool { (try? TestClient(path: socket)) != nil }

  deinit {
    // Its workers end with it.
    process.terminate()
    process.waitUntilExit()
    try? FileManager.default.removeItem(at: folder)
  }
}
