import CListener
import OzuBase
import OzuHTTP

/// Reads requests, passes them to the service, and writes the answers.
extension ListenerWork {
  func read(_ connection: ListenerConnection) {
    let outcome = space.withUnsafeMutableBytes { connection.socket.receive($0) }
    switch outcome {
    case .wouldBlock: break
    case .failed, .done(0): end(connection)
    case .done(let count):
      if case .receiving(let head, _) = connection.state {
        connection.input += space[..<count]
        return takeBody(connection, head)
      }
      connection.immediateCount = 0
      // After the end of a connection its input is ignored.
      guard connection.isReading else { return }
      let wasIdle = connection.isIdle
      connection.input += space[..<count]
      if wasIdle { awaitRequest(connection, within: configuration.headLimit) }
      readHead(connection)
    }
  }

  func readHead(_ connection: ListenerConnection) {
    do throws(HeadRefusal) {
      guard let head = try connection.parser.take(&connection.input) else { return }
      connection.input = ArraySlice(Array(connection.input))
      connection.keepsAlive = head.keepsAlive && drainEnd == nil
      guard let uploads = configuration.uploads, head.bodyByteCount > 0 else {
        return answer(connection, head, body: Data())
      }
      receive(connection, head, by: uploads)
    } catch {
      connection.keepsAlive = false
      var response = ServiceFailure(status: error.status, reason: error.reason).response
      if error.status == 405 { response.headers["Allow"] = "GET, HEAD" }
      response = loop.service.noteRefusal(
        of: ServiceRequest(method: "", target: "", remoteAddress: connection.remoteAddress), response,
        reason: error.reason)
      respond(connection, response, to: nil)
    }
  }

  func answer(_ connection: ListenerConnection, _ head: RequestHead, body: Data) {
    var request = ServiceRequest(
      method: head.method, target: head.target, headers: head.headers,
      remoteAddress: connection.remoteAddress)
    request.body = body
    // Many requests of one client must not delay the others, and must not let the stack grow.
    let service = loop.service
    var work: @Sendable () async -> ServiceResponse = { [request] in await service.respond(to: request) }
    if connection.immediateCount < Self.largestImmediateCount {
      switch service.begin(request) {
      case .response(let response):
        connection.immediateCount += 1
        return respond(connection, response, to: head)
      case .work(let rest): work = rest
      }
    }
    // Reading is paused until the answer is ready; the client waits.
    watch(connection, reading: false, writing: false)
    let task = Task { [loop, number = connection.number, work] in
      loop.submit(.answer(connection: number, await work()))
    }
    connection.state = .answering(task, head)
  }

  /// Receives the body of an upload if its head is accepted. Without the token, no byte of it is stored.
  func receive(_ connection: ListenerConnection, _ head: RequestHead, by uploads: UploadRule) {
    let request = ServiceRequest(
      method: head.method, target: head.target, headers: head.headers,
      remoteAddress: connection.remoteAddress)
    if let refusal = uploads.refusal(of: request, head.bodyByteCount, beside: awaitedByteCount) {
      connection.keepsAlive = false
      connection.input = []
      let response = loop.service.noteRefusal(of: request, refusal, reason: "the upload was refused")
      return respond(connection, response, to: head)
    }
    connection.state = .receiving(head, deadline: configuration.now() + uploads.limit)
    awaitedByteCount += head.bodyByteCount
    takeBody(connection, head)
  }

  func takeBody(_ connection: ListenerConnection, _ head: RequestHead) {
    guard connection.input.count >= head.bodyByteCount else { return }
    let body = Data(connection.input.prefix(head.bodyByteCount))
    connection.input = ArraySlice(Array(connection.input.dropFirst(head.bodyByteCount)))
    awaitedByteCount -= head.bodyByteCount
    answer(connection, head, body: body)
  }

  func respond(_ connection: ListenerConnection, _ response: ServiceResponse, to head: RequestHead?) {
    if drainEnd != nil { connection.keepsAlive = false }
    connection.setOutput(response, for: head, date: configuration.currentDate())
    connection.state = .writing(deadline: configuration.now() + configuration.writeLimit)
    write(connection)
  }

  func write(_ connection: ListenerConnection) {
    guard let (isDone, hasMoved) = connection.send() else { return end(connection) }
    guard isDone else {
      if hasMoved { connection.state = .writing(deadline: configuration.now() + configuration.writeLimit) }
      return watch(connection, reading: false, writing: true)
    }
    watch(connection, reading: true, writing: false)
    guard connection.keepsAlive else {
      connection.socket.endWriting()
      connection.state = .lingering(deadline: configuration.now() + Self.lingering)
      return
    }
    let hasMore = !connection.input.isEmpty
    let limit = hasMore ? configuration.headLimit : configuration.idleLimit
    awaitRequest(connection, within: limit)
    // Handles the next pipelined request.
    if hasMore { return readHead(connection) }
    // Its answer was begun before draining, and did not say that it is the last one.
    if drainEnd != nil { endIfIdle(connection) }
  }
}
