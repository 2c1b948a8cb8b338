import Foundation
import Glibc
import OzuHTTP

/// A connection to a listener. Waiting is done on a thread of Dispatch, never on a thread of the tests.
final class TestClient: @unchecked Sendable {
  struct Failure: Error {}

  struct Answer: Sendable {
    var status = 0
    var headers = HTTPHeaders()
    var body: [UInt8] = []
  }

  // Used by one test at a time, which waits for each call to end before it makes the next.
  private let descriptor: Int32
  private var received: [UInt8] = []
  private var isOpen = true

  init(port: Int) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    Self.setTimeLimit(descriptor)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    address.sin_port = UInt16(port).bigEndian
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0 else {
      Glibc.close(descriptor)
      isOpen = false
      throw Failure()
    }
  }

  /// A connection to a Unix socket.
  init(path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    Self.setTimeLimit(descriptor)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard status == 0 else {
      Glibc.close(descriptor)
      isOpen = false
      throw Failure()
    }
  }

  /// Sets a time limit, so that a missing answer fails the test instead of making it wait for ever.
  private static func setTimeLimit(_ descriptor: Int32) {
    var limit = timeval(tv_sec: 120, tv_usec: 0)
    _ = setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close() }

  func close() {
    guard isOpen else { return }
    isOpen = false
    Glibc.close(descriptor)
  }

  func send(_ text: String) { send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) { _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }

  /// Closes the sending side, and reads all bytes until the end. Blocks.
  func rest() -> [UInt8] {
    shutdown(descriptor, Int32(SHUT_WR))
    while receive() {}
    return received
  }

  /// The next answer, whole.
  func answer(hasBody: Bool = true) async throws -> Answer {
    try await waiting { client in
      var end: Range<Int>?
      while end == nil {
        end = client.received.firstRange(of: Array("\r\n\r\n".utf8))
        guard end != nil || client.receive() else { throw Failure() }
      }
      var answer = Answer()
      let head = String(decoding: client.received[..<end!.lowerBound], as: UTF8.self)
      client.received.removeSubrange(..<end!.upperBound)
      for (number, line) in head.components(separatedBy: "\r\n").enumerated() {
        if number == 0 {
          answer.status = Int(line.split(separator: " ")[1]) ?? 0
        } else if let colon = line.firstIndex(of: ":") {
          answer.headers.add(name: String(line[..<colon]), value: String(line[line.index(after: colon)...]))
        }
      }
      let length = hasBody ? Int(answer.headers["Content-Length"] ?? "0") ?? 0 : 0
      while client.received.count < length { guard client.receive() else { throw Failure() } }
      answer.body = Array(client.received.prefix(length))
      client.received.removeFirst(length)
      return answer
    }
  }

  /// Waits until the listener closes its side. Returns whether no other bytes came before.
  func hasEnded() async -> Bool {
    (try? await waiting { client in
      while client.receive() {}
      return client.received.isEmpty
    }) ?? false
  }

  private func receive() -> Bool {
    var space = [UInt8](repeating: 0, count: 64 << 10)
    let count = recv(descriptor, &space, space.count, 0)
    guard count > 0 else { return false }
    received += space[..<count]
    return true
  }

  private func waiting<Value: Sendable>(_ work: @escaping @Sendable (TestClient) throws -> Value) async throws
    -> Value
  {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(with: Result { try work(self) }) }
    }
  }
}
