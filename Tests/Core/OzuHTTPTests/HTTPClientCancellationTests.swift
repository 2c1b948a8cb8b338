import OzuBase
import OzuTesting
import Testing

@testable import OzuHTTP

@Suite("Cancellation and shutting down", .timeLimit(.minutes(15)))
struct HTTPClientCancellationTests {
  private let server: LoopbackServer
  private let client = directClient()

  init() throws {
    server = try LoopbackServer()
  }

  @Test("a task that is cancelled before it sends does not reach the server")
  func beforeStart() async {
    let request = HTTPRequest(url: server.url("/a"), timeouts: .patient)
    let gate = Gate()
    let task = Task { [client] in
      try? await gate.pass()
      return await failure(of: request, by: client)
    }
    task.cancel()
    #expect(await task.value == .cancelled)
    #expect(server.requestCount == 0)
  }

  @Test("a task that is cancelled while it waits in the queue does not reach the server")
  func whileWaiting() async throws {
    let client = directClient { $0.maximumConcurrentRequests = 1 }
    let gate = Gate()
    server.route("/held", .ok(Data()).held(by: gate))
    let held = HTTPRequest(url: server.url("/held"), timeouts: .patient)
    let queued = HTTPRequest(url: server.url("/queued"), timeouts: .patient)
    async let first = failure(of: held, by: client)
    await gate.arrivals(1)
    let second = Task { await failure(of: queued, by: client) }
    try await eventually(client.statistics.waitingRequestCount != 0)
    second.cancel()
    #expect(await second.value == .cancelled)
    #expect(client.statistics.waitingRequestCount == 0)
    gate.open()
    #expect(await first == nil)
    #expect(server.requestCount(for: "/queued") == 0)
  }

  @Test("cancelling a task before the head or in the body closes its connection", arguments: [true, false])
  func inFlight(inBody: Bool) async {
    let gate = Gate()
    let response = LoopbackResponse.ok(Data(count: 10_000))
    server.route("/a", inBody ? response.dripping(1000, through: gate) : response.held(by: gate))
    if inBody { gate.admit(3) }
    let sink = RecordingSink()
    let request = HTTPRequest(url: server.url("/a"), timeouts: .patient)
    let task = Task { [client] () -> HTTPError.Reason? in
      defer { sink.close() }
      do throws(HTTPError) {
        _ = try await client.send(request, into: sink)
        return nil
      } catch {
        return error.reason
      }
    }
    await gate.arrivals(inBody ? 4 : 1)
    task.cancel()
    #expect(await task.value == .cancelled)
    await server.allConnectionsClosed()
    gate.open()
    #expect(sink.callsAfterClosing == 0)
    #expect(client.statistics.activeRequestCount == 0)
  }

  @Test("shutting down cancels running and waiting requests, and refuses new ones")
  func shutdown() async throws {
    let client = directClient { $0.maximumConcurrentRequests = 2 }
    let gate = Gate()
    server.route("/a", .ok(Data()).held(by: gate))
    let request = HTTPRequest(url: server.url("/a"), timeouts: .patient)
    try await withThrowingTaskGroup(of: HTTPError.Reason?.self) { group in
      for _ in 0..<5 { group.addTask { await failure(of: request, by: client) } }
      await gate.arrivals(2)
      try await eventually(client.statistics.waitingRequestCount >= 3)
      await client.shutdown()
      for try await reason in group { #expect(reason == .cancelled) }
    }
    #expect(await failure(of: request, by: client) == .cancelled)
    await client.shutdown()
  }

  @Test("an unused client shuts down at once")
  func unused() async {
    await client.shutdown()
    #expect(
      await failure(of: HTTPRequest(url: server.url("/a"), timeouts: .patient), by: client) == .cancelled)
  }

  @Test("a released client closes its connections")
  func released() async throws {
    server.route("/a", .ok(Data()))
    try await {
      _ = try await directClient().data(from: server.url("/a"))
    }()
    await server.allConnectionsClosed()
  }

  @Test(
    "a thousand requests that are cancelled at random end once each, and leave nothing behind",
    arguments: [1, 2])
  func randomCancels(seed: UInt64) async {
    let client = directClient()
    let outcome = await cancelAtRandom(1000, seed: seed, on: server, by: client)
    #expect(outcome.ended == 1000)
    #expect(outcome.unexpected == [])
    #expect(outcome.lateCalls == 0)
    #expect(client.statistics.activeRequestCount == 0)
    #expect(client.statistics.waitingRequestCount == 0)
    await client.shutdown()
    await server.allConnectionsClosed()
  }

  #if os(Linux)
    // In its own process, where no other code opens descriptors.
    @Test("no descriptor is left open after a thousand random cancellations")
    func descriptors() async {
      await #expect(processExitsWith: .success) {
        var counts: [Int] = []
        // The first rounds open what the process keeps, such as the poll descriptor of the runtime.
        for seed in 1...3 as ClosedRange<UInt64> {
          let server = try LoopbackServer()
          let client = directClient()
          _ = await cancelAtRandom(seed == 1 ? 100 : 1000, seed: seed, on: server, by: client)
          await client.shutdown()
          server.stop()
          await server.stopped()
          counts.append(try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count)
        }
        #expect(counts[2] <= counts[1])
      }
    }
  #endif
}

/// Sends requests, some of which cannot end by themselves, and cancels each at a moment drawn from the seed:
/// at once, after some turns of the scheduler, or when the first piece arrives.
private func cancelAtRandom(
  _ count: Int, seed: UInt64, on server: LoopbackServer, by client: DefaultHTTPClient
) async -> (ended: Int, unexpected: [String], lateCalls: Int) {
  let gate = Gate()
  server.route("/whole", .ok(patternedBytes(200_000)))
  server.route("/held", .ok(Data(count: 10)).held(by: gate))
  server.route("/endless", .endless(repeating: Data(count: 5000)))
  let paths = ["/whole", "/held", "/endless"]
  var random = SeededGenerator(seed: seed)
  let plans = (0..<count).map { _ in
    (path: paths.randomElement(using: &random) ?? "/whole", turns: Int.random(in: -1...60, using: &random))
  }

  return await withTaskGroup(of: (unexpected: String?, lateCalls: Int).self) { group in
    for plan in plans {
      // Some wait long for the task that cancels them, where a sanitizer slows everything down.
      let patient = Duration.seconds(3600)
      let request = HTTPRequest(
        url: server.url(plan.path), timeouts: HTTPTimeouts(connect: patient, idle: patient, total: patient),
        maximumBodyByteCount: .max)
      group.addTask {
        let firstPiece = Gate()
        let sink = RecordingSink(onPiece: { (_) throws(HTTPError) in firstPiece.open() })
        let task = Task { () -> HTTPError.Reason? in
          defer { sink.close() }
          do throws(HTTPError) {
            _ = try await client.send(request, into: sink)
            return nil
          } catch {
            return error.reason
          }
        }
        if plan.turns < 0, plan.path != "/held" {
          try? await firstPiece.pass()
        } else {
          for _ in 0..<max(0, plan.turns) { await Task.yield() }
        }
        task.cancel()
        let reason = await task.value
        let isExpected = reason == .cancelled || (reason == nil && plan.path == "/whole")
        return (isExpected ? nil : "\(plan): \(reason as Any)", sink.callsAfterClosing)
      }
    }
    var result = (ended: 0, unexpected: [String](), lateCalls: 0)
    for await one in group {
      result.ended += 1
      if let unexpected = one.unexpected { result.unexpected.append(unexpected) }
      result.lateCalls += one.lateCalls
    }
    return result
  }
}
