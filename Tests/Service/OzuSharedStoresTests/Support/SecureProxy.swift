import Foundation
import OzuTesting

/// An nginx with TLS at a port of 127.0.0.1 and a new certificate, which forwards all requests to a port without TLS. It ends
/// with the test.
final class SecureProxy: Sendable {
  static var isAvailable: Bool { installedProgram("nginx") != nil && installedProgram("openssl") != nil }

  struct Failure: Error { let reason: String }

  let url: URL
  /// The file of its certificate.
  let certificate: String
  private let folder: URL
  private let process: Process

  /// - Parameter port: the port to which requests are forwarded.
  init(port: Int) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "ozu-proxy-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    self.folder = folder
    certificate = folder.path + "/certificate.pem"
    try await blocking { try Self.makeIdentity(in: folder.path) }
    // Another program may take a free port before nginx does.
    for _ in 0..<10 {
      let own = try LoopbackServer().port
      let process = try Self.start(in: folder.path, at: own, to: port)
      // It writes the file when it listens.
      let pid = folder.path + "/pid"
      try await eventually(
        (try? String(contentsOfFile: pid, encoding: .utf8))?.isEmpty == false || !process.isRunning)
      guard process.isRunning else { continue }
      self.process = process
      url = URL(string: "https://127.0.0.1:\(own)")!
      return
    }
    throw Failure(reason: (try? String(contentsOfFile: folder.path + "/errors", encoding: .utf8)) ?? "")
  }

  deinit {
    process.terminate()
    process.waitUntilExit()
    try? FileManager.default.removeItem(at: folder)
  }

  private static func makeIdentity(in folder: String) throws {
    let request = Process()
    request.executableURL = URL(filePath: installedProgram("openssl") ?? "")
    let options = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=ozu"
    request.arguments = options.split(separator: " ").map(String.init)
    request.arguments? += [
      "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", folder + "/key.pem", "-out",
      folder + "/certificate.pem",
    ]
    request.standardError = FileHandle.nullDevice
    try request.run()
    request.waitUntilExit()
    guard request.terminationStatus == 0 else { throw Failure(reason: "openssl made no certificate") }
  }

  private static func start(in folder: String, at own: Int, to port: Int) throws -> Process {
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
      "\($0)_temp_path \(folder)/\($0);"
    }
    let text = """
      \(geteuid() == 0 ? "user root;" : "")
      daemon off; worker_processes 1; pid \(folder)/pid; error_log \(folder)/errors;
      events { worker_connections 256; }
      http { access_log off; \(temporary.joined(separator: " "))
        server {
          listen 127.0.0.1:\(own) ssl;
          ssl_certificate \(folder)/certificate.pem; ssl_certificate_key \(folder)/key.pem;
          client_max_body_size 64m;
          # A signature is over the name that the client asked for.
          location / {
            proxy_pass http://127.0.0.1:\(port); proxy_set_header Host $http_host; proxy_http_version 1.1;
          }
        }
      }

      """
    try text.write(toFile: folder + "/nginx.conf", atomically: true, encoding: .utf8)
    let process = Process()
    process.executableURL = URL(filePath: installedProgram("nginx") ?? "")
    process.arguments = ["-e", folder + "/errors", "-p", folder, "-c", folder + "/nginx.conf"]
    (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
    try process.run()
    return process
  }
}
