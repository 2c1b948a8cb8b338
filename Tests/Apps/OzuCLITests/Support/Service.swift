#if canImport(OzuServer)
  import Foundation
  import OzuHTTP
  import OzuBase
  import OzuTesting
  import Testing

  /// A real service, with its output. It ends with the test.
  final class Service: Sendable {
    /// The lines that the service has printed on one stream. An object of its own, because the thread that reads them
    /// would otherwise keep the service alive for ever, and with it the process.
    final class Output: Sendable {
      private let lines = Mutex<[String]>([])

      func withLock<Result: Sendable>(_ body: @Sendable (inout [String]) -> Result) -> Result {
        lines.withLock { body(&$0) }
      }
    }

    let process: Process
    let lines = Output()
    let records = Output()

    /// - Parameter readsOutput: false for a pipe that is closed at once.
    init(_ variables: [String: String], _ arguments: [String] = [], readsOutput: Bool = true) throws {
      process = Process()
      process.executableURL = try ChildRun.program
      process.arguments = ["serve"] + arguments
      process.environment = childEnvironment.merging(variables) { $1 }
      let (output, errors) = (Pipe(), Pipe())
      (process.standardOutput, process.standardError) = (output, errors)
      try process.run()
      if !readsOutput { try output.fileHandleForReading.close() }
      for (pipe, lines) in [(output, records), (errors, lines)] where pipe === errors || readsOutput {
        Thread {
          var rest = ""
          while true {
            let data = pipe.fileHandleForReading.availableData
            if data.isEmpty { return }
            rest += String(decoding: data, as: UTF8.self)
            var parts = rest.components(separatedBy: "\n")
            rest = parts.removeLast()
            let new = parts
            lines.withLock { $0 += new }
          }
        }.start()
      }
    }

    deinit { process.terminate() }

    /// The port, once it listens.
    func port() async throws -> Int {
      let prefix = "ozu: listening at http://127.0.0.1:"
      func find() -> Int? {
        lines.withLock { $0.first { $0.hasPrefix(prefix) } }.flatMap { Int($0.dropFirst(prefix.count)) }
      }
      try await eventually(find() != nil)
      return try #require(find())
    }

    func get(_ path: String, _ headers: HTTPHeaders = [:]) async throws -> (
      status: Int, headers: HTTPHeaders, body: Data
    ) {
      let url = try #require(URL(string: "http://127.0.0.1:\(try await port())\(path)"))
      let cache = HTTPCache(client: DefaultHTTPClient.shared, storage: InMemoryHTTPCacheStorage())
      let answer = try await cache.response(for: HTTPRequest(url: url, headers: headers), mode: .noStore)
      return (answer.status, answer.head.headers, answer.body)
    }

    /// Waits until a condition holds. Fails when the service ends before, for then it never will.
    func eventually(
      isolation: isolated (any Actor)? = #isolation, _ condition: @autoclosure () -> Bool
    ) async throws {
      try await OzuTesting.eventually(condition() || !process.isRunning)
      try #require(condition(), "\(lines.withLock { $0 })")
    }

    /// Waits until it has printed a line with this text.
    func hasSaid(_ text: String) async throws {
      try await eventually(lines.withLock { $0.contains { $0.contains(text) } })
    }

    /// Waits for its end. Returns its status.
    func ended() async throws -> Int32 {
      try await OzuTesting.eventually(!process.isRunning)
      return process.terminationStatus
    }
  }

  /// A request at a Unix socket.
  enum LocalRequest {
    struct Failure: Error {}

    static func status(at path: String, of target: String) async throws -> Int {
      try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(with: Result { try exchange(path, target) }) }
      }
    }

    private static func exchange(_ path: String, _ target: String) throws -> Int {
      let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(descriptor) }
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
      let status = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      guard status == 0 else { throw Failure() }
      let request = Array("GET \(target) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".utf8)
      _ = send(descriptor, request, request.count, Int32(MSG_NOSIGNAL))
      var answer: [UInt8] = []
      var space = [UInt8](repeating: 0, count: 4096)
      while case let count = recv(descriptor, &space, space.count, 0), count > 0 { answer += space[..<count] }
      let line = String(decoding: answer, as: UTF8.self).split(separator: " ")
      guard line.count > 1, let number = Int(line[1]) else { throw Failure() }
      return number
    }
  }
#endif
