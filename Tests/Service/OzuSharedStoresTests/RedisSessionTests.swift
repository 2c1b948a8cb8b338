import Foundation
import OzuBase
import Testing

@testable import OzuSharedStores

@Suite("The session over a connection to Redis")
struct RedisSessionTests {
  private let start = ContinuousClock.now

  /// The outcomes of commands, by name.
  private final class Outcomes: Sendable {
    let all = Mutex<[String: Result<RESPValue, RedisError>]>([:])
    subscript(name: String) -> Result<RESPValue, RedisError>? { all.withLock { $0[name] } }
  }

  private let outcomes = Outcomes()

  private func request(_ name: String, at seconds: Double) -> RedisRequest {
    RedisRequest(RESPCommand(.text(name)), deadline: start + .seconds(seconds)) { [outcomes] result in
      let before = outcomes.all.withLock { $0.updateValue(result, forKey: name) }
      #expect(before == nil, "\(name) is answered twice")
    }
  }

  private func session(login: [RESPCommand] = []) -> RedisSession {
    RedisSession(node: "n", login: login, deadline: .milliseconds(50), limits: RESPLimits())
  }

  private func sent(_ session: inout RedisSession, atMost limit: Int = .max) -> String {
    var text: [UInt8] = []
    _ = session.flush { bytes in
      let part = bytes.prefix(limit - text.count)
      text += part
      return part.count
    }
    return String(decoding: text, as: UTF8.self)
  }

  private func receive(_ text: String, _ session: inout RedisSession) throws(RedisError) {
    let bytes = Array(text.utf8)
    let result = bytes.withUnsafeBytes { bytes in
      Result { () throws(RedisError) in try session.receive(bytes) }
    }
    try result.get()
  }

  @Test("the largest number as the limit of an entry is no limit, and not the end of the process")
  func unlimitedEntries() {
    var configuration = RedisConfiguration(nodes: [.unix("/none")])
    configuration.maximumEntryByteCount = .max
    #expect(configuration.replyLimits.bulkByteCount > 512 << 20)
  }

  @Test("many commands are sent before the first answer, and answers come in their order")
  func pipelining() throws {
    var session = session()
    for name in ["a", "b", "c"] { session.start(request(name, at: 1)) }
    #expect(sent(&session) == "*1\r\n$1\r\na\r\n*1\r\n$1\r\nb\r\n*1\r\n$1\r\nc\r\n")
    try receive("+1\r\n+", &session)
    #expect(outcomes["a"] == .success(.simple("1")) && outcomes["b"] == nil)
    try receive("2\r\n-E\r\n", &session)
    #expect(outcomes["b"] == .success(.simple("2")) && outcomes["c"] == .success(.error("E")))
    #expect(session.isIdle && session.nextDeadline == nil)
  }

  @Test("commands wait until the login is accepted, and are sent in the pieces that the socket accepts")
  func login() throws {
    var session = session(login: [RESPCommand("AUTH", "p"), RESPCommand("SELECT", 3)])
    session.start(request("a", at: 1))
    let login = "*2\r\n$4\r\nAUTH\r\n$1\r\np\r\n*2\r\n$6\r\nSELECT\r\n$1\r\n3\r\n"
    #expect(sent(&session, atMost: 7) + sent(&session) == login)
    try receive("+OK\r\n", &session)
    #expect(!session.hasOutput && sent(&session) == "")
    try receive("+OK\r\n", &session)
    #expect(sent(&session) == "*1\r\n$1\r\na\r\n")
  }

  @Test(
    "a login that is refused is an error, and no command is sent",
    arguments: ["-WRONGPASS no\r\n", "+OK\r\n-ERR DB index is out of range\r\n", "+OK\r\n:1\r\n"])
  func refusedLogin(answer: String) throws {
    var session = session(login: [RESPCommand("AUTH", "p"), RESPCommand("SELECT", 3)])
    session.start(request("a", at: 1))
    _ = sent(&session)
    #expect(throws: RedisError.self) { try receive(answer, &session) }
    #expect(sent(&session) == "")
  }

  @Test("an answer after its deadline is dropped, and is not given to another command")
  func lateAnswer() throws {
    var session = session()
    session.start(request("a", at: 1))
    _ = sent(&session)
    session.start(request("b", at: 2))
    _ = sent(&session)
    try receive("$3\r\nx", &session)
    #expect(session.nextDeadline == start + .seconds(1))
    #expect(session.expire(at: start + .seconds(1)) == (true, false))
    guard case .failure(let error) = outcomes["a"] else { throw CancellationError() }
    #expect(error.reason == .timedOut(.milliseconds(50)))
    try receive("xx\r\n$1\r\nb\r\n", &session)
    #expect(outcomes["b"] == .success(.bulk(Data("b".utf8))))
  }

  @Test("a server that sent nothing since a command was sent counts as silent")
  func silence() throws {
    var session = session()
    session.start(request("a", at: 5))
    _ = sent(&session)
    try receive("+1\r\n", &session)
    session.start(request("b", at: 1))
    _ = sent(&session)
    #expect(session.expire(at: start) == (false, false))
    #expect(session.expire(at: start + .seconds(1)) == (true, true))
    session.start(request("c", at: 2))
    // The command was never sent, so it is no evidence about the server.
    #expect(session.expire(at: start + .seconds(3)) == (true, false))
    #expect(!session.hasOutput)
  }

  @Test(
    "an answer without a command, and bytes that are not answers, end the connection",
    arguments: ["+OK\r\n", "?"])
  func nonsense(bytes: String) throws {
    var session = session()
    #expect(throws: RedisError.self) { try receive(bytes + "\r\n", &session) }
    session.start(request("a", at: 1))
    session.fail(RedisError(.connectionLost, node: "n"))
    let error: any Error = RedisError(.connectionLost, node: "n")
    #expect(outcomes["a"] == .failure(RedisError(.connectionLost, node: "n")))
    #expect(session.isIdle && error.localizedDescription == "n closed the connection")
  }
}
