/// The conversation over one connection: a login, and then many commands at a time, which are answered in order.
///
/// It has no socket, no thread and no clock: bytes and times are passed to it. Commands wait until the login has
/// succeeded, so none can reach another database. A command whose deadline has passed fails with `timedOut`. If it
/// was sent, its place is kept, and its answer is dropped when it arrives.
struct RedisSession {
  /// An expected answer.
  private struct Slot {
    /// `nil` for a command of the login, and for a command that has failed already.
    var request: RedisRequest?
    let isLogin: Bool
    /// The number of receipts of bytes when the command was sent.
    let receiptCount: Int
  }

  /// The most bytes of commands that are joined for one system call.
  private static let joinedByteCount = 64 << 10

  static let refusedLogin = "the login was refused"

  private let node: String
  private let deadline: Duration
  private var parser: RESPParser
  private var unsent: [RedisRequest] = []
  private var slots: [Slot] = []
  private var output: [UInt8] = []
  private var outputStart = 0
  private var loginCount: Int
  private var receiptCount = 0
  /// The server's answer to the login, if it was not OK.
  private var refusal: String?
  /// Set by the answer of a read-only server: its name may lead to another server by now.
  private(set) var isReadOnly = false

  /// - Parameters:
  ///   - login: commands that must all be answered with OK.
  ///   - deadline: the time limit for a command, for messages.
  init(node: String, login: [RESPCommand], deadline: Duration, limits: RESPLimits) {
    self.node = node
    self.deadline = deadline
    parser = RESPParser(limits: limits)
    loginCount = login.count
    for command in login {
      output += command.bytes
      slots.append(Slot(request: nil, isLogin: true, receiptCount: 0))
    }
  }

  var hasOutput: Bool { outputStart < output.count || loginCount == 0 && !unsent.isEmpty }

  /// Whether no answer is expected, not even one that will be dropped, and no command waits to be sent.
  var isIdle: Bool { unsent.isEmpty && slots.isEmpty }

  mutating func start(_ request: RedisRequest) { unsent.append(request) }

  /// Passes bytes to `send` until it takes fewer than it was given.
  ///
  /// - Parameter send: returns the number of bytes that were sent; `nil` if the connection is lost.
  /// - Returns: whether the connection still exists.
  mutating func flush(_ send: (UnsafeRawBufferPointer) -> Int?) -> Bool {
    while hasOutput {
      fillOutput()
      let (count, start) = (output.count - outputStart, outputStart)
      guard let sent = output.withUnsafeBytes({ send(UnsafeRawBufferPointer(rebasing: $0[start...])) }) else {
        return false
      }
      outputStart += sent
      if sent < count { return true }
    }
    return true
  }

  private mutating func fillOutput() {
    guard outputStart == output.count else { return }
    output.removeAll(keepingCapacity: output.capacity <= 4 * Self.joinedByteCount)
    outputStart = 0
    var count = 0
    while count < unsent.count, output.count < Self.joinedByteCount {
      output += unsent[count].bytes
      slots.append(Slot(request: unsent[count], isLogin: false, receiptCount: receiptCount))
      count += 1
    }
    unsent.removeFirst(count)
  }

  /// Takes bytes from the server, and completes the commands that they answer.
  ///
  /// - Throws: if the bytes are not valid answers, or if the login was refused. Then the connection must be closed.
  mutating func receive(_ bytes: UnsafeRawBufferPointer) throws(RedisError) {
    receiptCount += 1
    parser.append(bytes)
    do throws(RESPError) {
      while let value = try parser.next() { try take(value) }
    } catch {
      throw RedisError(.protocolError(error.description), node: node)
    }
    if let refusal { throw RedisError(.notConnected("\(Self.refusedLogin): \(refusal)"), node: node) }
  }

  private mutating func take(_ value: RESPValue) throws(RESPError) {
    guard !slots.isEmpty else { throw RESPError("an answer without a command") }
    let slot = slots.removeFirst()
    if slot.isLogin {
      switch value {
      case .simple("OK"): loginCount -= 1
      case .error(let text): refusal = refusal ?? text
      default: throw RESPError("the login was not answered with OK")
      }
      return
    }
    if case .error(let text) = value, text.hasPrefix("READONLY") { isReadOnly = true }
    slot.request?.complete(.success(value))
  }

  /// Fails the commands whose deadline has passed.
  ///
  /// - Returns: whether there was one, and whether the server has sent nothing since one of them, or the login, was
  ///   sent. Then the connection is useless.
  mutating func expire(at now: ContinuousClock.Instant) -> (isAnyLate: Bool, isSilent: Bool) {
    var (isAnyLate, isSilent) = (false, false)
    for place in slots.indices {
      guard let request = slots[place].request, request.deadline <= now else { continue }
      slots[place].request = nil
      isAnyLate = true
      if slots[place].receiptCount == receiptCount { isSilent = true }
      request.complete(.failure(RedisError(.timedOut(deadline), node: node)))
    }
    let late = unsent.filter { $0.deadline <= now }
    guard !late.isEmpty else { return (isAnyLate, isSilent) }
    unsent.removeAll { $0.deadline <= now }
    for request in late { request.complete(.failure(RedisError(.timedOut(deadline), node: node))) }
    return (true, isSilent || loginCount > 0)
  }

  /// When `expire` has something to do.
  var nextDeadline: ContinuousClock.Instant? {
    let sent = slots.lazy.compactMap { $0.request?.deadline }.min()
    let waiting = unsent.lazy.map(\.deadline).min()
    guard let sent, let waiting else { return sent ?? waiting }
    return min(sent, waiting)
  }

  mutating func fail(_ error: RedisError) {
    let requests = slots.compactMap(\.request) + unsent
    slots = []
    unsent = []
    for request in requests { request.complete(.failure(error)) }
  }
}

/// A command in progress, and the closure that waits for its answer.
///
/// Immutable. The thread of the loop calls `complete` exactly once.
final class RedisRequest: Sendable {
  let bytes: [UInt8]
  /// After this instant the answer is useless.
  let deadline: ContinuousClock.Instant
  let complete: @Sendable (Result<RESPValue, RedisError>) -> Void

  init(
    _ command: RESPCommand, deadline: ContinuousClock.Instant,
    completion: @escaping @Sendable (Result<RESPValue, RedisError>) -> Void
  ) {
    bytes = command.bytes
    self.deadline = deadline
    complete = completion
  }
}
