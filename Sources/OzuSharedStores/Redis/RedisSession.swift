/// What is said over one connection: a login, then commands, many at a time, whose answers come in their order.
///
/// It has no socket, no thread and no clock: bytes and times are handed to it. Commands wait until the login is through, so
/// that none can reach another database. A command whose deadline has passed is answered with `timedOut`; if it was sent,
/// its place is kept, and the answer is thrown away when it comes.
struct RedisSession {
  /// An answer that is awaited.
  private struct Slot {
    /// `nil` for a command of the login, and when nobody waits any more.
    var request: RedisRequest?
    let isLogin: Bool
    /// How many times bytes had come when it was sent.
    let receiptCount: Int
  }

  /// Up to so many bytes of commands are joined for one system call.
  private static let joinedByteCount = 64 << 10

  private let node: String
  private let deadline: Duration
  private var parser: RESPParser
  private var unsent: [RedisRequest] = []
  private var slots: [Slot] = []
  private var output: [UInt8] = []
  private var outputStart = 0
  private var loginCount: Int
  private var receiptCount = 0
  /// What the server said to the login, if not OK.
  private var refusal: String?
  /// Set by the answer of a server that takes no writes any more: another may have its place.
  private(set) var isReadOnly = false

  /// - Parameters:
  ///   - login: commands that must all be answered with OK.
  ///   - deadline: how long a command has, for messages.
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

  /// Whether there is something that can be sent now.
  var hasOutput: Bool { outputStart < output.count || loginCount == 0 && !unsent.isEmpty }

  /// Whether no answer is awaited, not even one that is thrown away, and nothing waits to be sent.
  var isIdle: Bool { unsent.isEmpty && slots.isEmpty }

  /// Takes a command on.
  mutating func start(_ request: RedisRequest) { unsent.append(request) }

  /// Hands over bytes to send until `send` takes fewer than it was given.
  ///
  /// - Parameter send: returns how many bytes were sent; `nil` when the connection is gone.
  /// - Returns: whether the connection is there.
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

  /// Takes bytes of the server, and answers those who wait.
  ///
  /// - Throws: when the bytes are no answers, or the login was refused: the connection must be closed.
  mutating func receive(_ bytes: UnsafeRawBufferPointer) throws(RedisError) {
    receiptCount += 1
    parser.append(bytes)
    do throws(RESPError) {
      while let value = try parser.next() { try take(value) }
    } catch {
      throw RedisError(.protocolError(error.description), node: node)
    }
    if let refusal { throw RedisError(.notConnected("the login was refused: \(refusal)"), node: node) }
  }

  private mutating func take(_ value: RESPValue) throws(RESPError) {
    guard !slots.isEmpty else { throw RESPError("an answer to no question") }
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

  /// Answers those whose deadline has passed.
  ///
  /// - Returns: whether there was one; and whether the server has said nothing since one of them was sent, or since the login
  ///   was: the connection is of no use.
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

  /// Answers everybody: the connection is gone.
  mutating func fail(_ error: RedisError) {
    let requests = slots.compactMap(\.request) + unsent
    slots = []
    unsent = []
    for request in requests { request.complete(.failure(error)) }
  }
}
