import Foundation
import OzuTesting

/// The origin of the benchmark of downloads.
///
/// It is a process of its own, so that its work is nobody's. Where the program cannot start itself again (in a test)
/// it is on threads of this process, and counts against all subjects.
final class HTTPBenchServer {
  /// What the server answers.
  enum Path: String, CaseIterable {
    /// A small picture's worth of bytes.
    case small = "/20kb"
    /// 90 MB.
    case large = "/90mb"
    /// A head, and a body that never comes.
    case held = "/held"
  }

  static let smallByteCount = 20_000
  static let largeByteCount = 90_000_000

  private let base: URL
  private let local: LoopbackServer?
  private let child: Process?
  private let input = Pipe()

  init() throws {
    guard CommandLine.arguments.first?.hasSuffix("ozu") == true else {
      let server = try Self.makeServer()
      (local, child, base) = (server, nil, server.url(""))
      return
    }
    let output = Pipe()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = ["bench", "--serve"]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    guard let base = URL(string: "http://127.0.0.1:\(text.filter(\.isNumber))") else {
      throw CocoaError(.fileReadUnknown)
    }
    (local, child, self.base) = (nil, process, base)
  }

  func url(_ path: Path) -> URL { base.appending(path: path.rawValue) }

  func stop() {
    local?.stop()
    try? input.fileHandleForWriting.close()
    child?.waitUntilExit()
  }

  private static func makeServer() throws -> LoopbackServer {
    let server = try LoopbackServer()
    server.route(
      Path.small.rawValue, .ok(Data((0..<smallByteCount).map { UInt8(truncatingIfNeeded: $0 &* 31) })))
    server.route(Path.large.rawValue) { _ in .ok(Data(count: largeByteCount)) }
    server.route(Path.held.rawValue, .ok(Data(count: 1000)).dripping(1000, through: Gate()))
    return server
  }

  /// Serves until standard input ends; the port goes to standard output. What the benchmark's child does.
  static func serve(_ console: Console) throws {
    let server = try makeServer()
    console.print("\(server.port)")
    while console.readLine() != nil {}
    server.stop()
  }
}
