import Foundation
import OzuBase

@testable import OzuDemonstration
@testable import OzuSharedStores

/// A fake Redis in this process, on a Unix socket: it keeps texts, and has faults when a test asks for them.
///
/// A thread for each connection. One lock guards the state; `react` is called outside of it.
final class FakeRedis: Sendable {
  /// The server's reaction to a command.
  enum Reaction {
    /// The command is executed.
    case done
    /// These bytes are sent instead of the answer.
    case bytes(String)
    /// The command is executed, and half of the answer is sent; then the connection ends.
    case cut
    /// The command is executed, and one bit of a longer answer is flipped.
    case flipped
    /// Nothing is sent.
    case silence
    /// The connection is closed.
    case close
  }

  struct Value: Hashable {
    var data: Data
    var lifetime: Int?
  }

  private struct State {
    var values: [String: Value] = [:]
    var log: [[String]] = []
    var connectionCount = 0
    var open: [LoopbackSocket] = []
    var react: @Sendable ([String], Int) -> Reaction = { _, _ in .done }
  }

  let path: String
  private let state = Mutex(State())
  private let listener: LoopbackSocket

  init() throws {
    path = FileManager.default.temporaryDirectory.path + "/ozu-redis-\(UUID().uuidString.prefix(8))"
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let listener = LoopbackSocket(descriptor: socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0))
    self.listener = listener
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener.descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard status == 0, listen(listener.descriptor, 64) == 0 else { throw POSIXError(.EADDRINUSE) }
    LoopbackThread.start("fake.redis") { [weak self] in
      while let connection = listener.accept() {
        guard let self else { return connection.close() }
        let number = self.state.withLock { state in
          state.connectionCount += 1
          state.open.append(connection)
          return state.connectionCount
        }
        LoopbackThread.start("fake.redis") { [weak self] in Self.serve(connection, number) { self } }
      }
      listener.close()
    }
  }

  deinit {
    listener.shutDown()
    state.withLock { for connection in $0.open { connection.shutDown() } }
    unlink(path)
  }

  /// Called with every command and the number of its connection before the command is executed.
  var react: @Sendable ([String], Int) -> Reaction {
    get { state.withLock { $0.react } }
    set { state.withLock { $0.react = newValue } }
  }

  var log: [[String]] { state.withLock { $0.log } }

  func count(_ command: String) -> Int { log.count { $0.first == command } }

  var connectionCount: Int { state.withLock { $0.connectionCount } }

  subscript(key: String) -> Value? {
    get { state.withLock { $0.values[key] } }
    set { state.withLock { $0.values[key] = newValue } }
  }

  /// Removes all entries, as a restart does.
  func removeAll() { state.withLock { $0.values = [:] } }

  var keys: [String] { state.withLock { $0.values.keys.sorted() } }

  /// Ends all connections.
  func disconnect() { state.withLock { for connection in $0.open { connection.shutDown() } } }

  private static func serve(_ connection: LoopbackSocket, _ number: Int, _ owner: () -> FakeRedis?) {
    var parser = RESPParser()
    var buffer: [UInt8] = []
    while connection.receive(into: &buffer) {
      buffer.withUnsafeBytes { parser.append($0) }
      buffer = []
      while let value = try? parser.next(), let redis = owner() {
        guard redis.answer(value, connection, number) else { connection.shutDown(); break }
      }
    }
    owner()?.state.withLock { state in state.open.removeAll { $0.descriptor == connection.descriptor } }
    connection.close()
  }

  private func answer(_ value: RESPValue, _ connection: LoopbackSocket, _ number: Int) -> Bool {
    guard case .array(let parts) = value else { return false }
    let arguments = parts.map { if case .bulk(let data) = $0 { data } else { Data() } }
    let words = arguments.map { String(decoding: $0, as: UTF8.self) }
    let react = state.withLock { state in
      state.log.append(words)
      return state.react
    }
    switch react(words, number) {
    case .silence: return true
    case .close: return false
    case .bytes(let text): return send(Data(text.utf8), connection)
    case .done: return send(perform(words, arguments), connection)
    case .cut:
      let answer = perform(words, arguments)
      _ = send(Data(answer.prefix(answer.count / 2)), connection)
      return false
    case .flipped:
      var answer = perform(words, arguments)
      if answer.count > 64 { answer[answer.startIndex + answer.count * 3 / 4] ^= 4 }
      return send(answer, connection)
    }
  }

  private func send(_ data: Data, _ connection: LoopbackSocket) -> Bool {
    data.withUnsafeBytes { connection.send($0) } == data.count
  }

  private func perform(_ words: [String], _ arguments: [Data]) -> Data {
    func bulk(_ data: Data) -> Data { Data("$\(data.count)\r\n".utf8) + data + Data("\r\n".utf8) }
    let text = state.withLock { state -> Data? in
      switch words[0] {
      case "AUTH", "SELECT": return Data("+OK\r\n".utf8)
      case "GETRANGE":
        let data = state.values[words[1]]?.data ?? Data()
        return bulk(Data(data.prefix((Int(words[3]) ?? 0) + 1)))
      case "SET":
        if words.contains("NX"), state.values[words[1]] != nil { return Data("$-1\r\n".utf8) }
        let place = words.firstIndex(of: "PX")
        state.values[words[1]] = Value(data: arguments[2], lifetime: place.flatMap { Int(words[$0 + 1]) })
        return Data("+OK\r\n".utf8)
      case "EVAL" where words[1].contains("'GETRANGE'"):
        // Removes what was read, and nothing that was written since.
        guard words.count == 4 || state.values[words[3]]?.data.starts(with: arguments[4]) == true else {
          return Data(":0\r\n".utf8)
        }
        state.values[words[3]] = nil
        return Data(":1\r\n".utf8)
      case "EVAL" where words.count > 4 && words[2] == "1":
        // The scripts of leases: they change a key only if it has the value of the holder.
        guard state.values[words[3]]?.data == arguments[4] else { return Data(":0\r\n".utf8) }
        if words[1].contains("'DEL'") { state.values[words[3]] = nil }
        return Data(":1\r\n".utf8)
      case "EXISTS": return Data(":\(state.values[words[1]] == nil ? 0 : 1)\r\n".utf8)
      case "PEXPIRE":
        state.values[words[1]]?.lifetime = Int(words[2])
        return Data(":\(state.values[words[1]] == nil ? 0 : 1)\r\n".utf8)
      case "UNLINK":
        let count = words.dropFirst().count { state.values.removeValue(forKey: $0) != nil }
        return Data(":\(count)\r\n".utf8)
      case "INCR":
        let number =
          (state.values[words[1]].flatMap { Int(String(decoding: $0.data, as: UTF8.self)) } ?? 0) + 1
        state.values[words[1]] = Value(data: Data("\(number)".utf8))
        return Data(":\(number)\r\n".utf8)
      case "SCAN":
        // All keys, in two steps, for every pattern: the client must not trust the server.
        let keys = state.values.keys.sorted()
        let half = words[1] == "0" ? keys.prefix(keys.count / 2) : keys.suffix(keys.count - keys.count / 2)
        var data = Data("*2\r\n".utf8) + bulk(Data((words[1] == "0" ? "7" : "0").utf8))
        data += Data("*\(half.count)\r\n".utf8)
        for key in half { data += bulk(Data(key.utf8)) }
        return data
      default: return nil
      }
    }
    return text ?? Data("-ERR unknown command\r\n".utf8)
  }
}
