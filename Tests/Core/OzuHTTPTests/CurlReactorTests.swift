#if os(Linux)
  import CCurl
  import Foundation
  import OzuBase
  import Testing

  @testable import OzuHTTP

  @Suite(
    "The waits of the transport's thread", .timeLimit(.minutes(15)), .enabled(if: SecureServer.isAvailable))
  struct CurlReactorTests {
    @Test(
      "a stream whose bytes were read in another stream's turn continues, and the thread does not sleep"
    )
    func bytesReadByAnother() async throws {
      let server = try await SecureServer(["-alpn", "h2"])
      defer { server.stop() }
      let streams = Mutex(0)
      server.speakHTTP2 { _ in streams.withLock { $0 += 1 } }
      let drive = try Drive(trusting: server.certificate)

      // An exchange that goes before leaves nothing on the connection but what the test sends.
      let first = try drive.transfer(to: server.url)
      // On one connection: a stream that is early in libcurl's list, one that has its first byte, one that has nothing.
      let isFirst = Atomic(true)
      let early = try drive.transfer(to: server.url)
      let busy = try drive.transfer(to: server.url) {
        // While its receiver works the rest of both answers arrives. The next in the list reads it.
        guard isFirst.exchange(false, ordering: .relaxed) else { return }
        server.send(
          SecureServer.frames(stream: 3, "early") + SecureServer.frames(stream: 5, "busy", isHeadSent: true))
        drive.waitForBytes()
      }
      let quiet = try drive.transfer(to: server.url)
      let late = try drive.transfer(to: server.url)
      let answers = await drive.answers(to: [first, early, busy, quiet, late]) {
        drive.start(first)
        drive.turn { streams.withLock { $0 } == 1 }
        server.send(SecureServer.frames(stream: 1, "first"))
        drive.turn { first.phase == .finished }
        for transfer in [early, busy, quiet] { drive.start(transfer) }
        drive.turn { streams.withLock { $0 } == 4 }
        // In the turn that reads the bytes one more begins, for which libcurl looks at its clock.
        server.send(SecureServer.frames(stream: 5, "x", isLast: false))
        drive.waitForBytes()
        drive.start(late)
        drive.turnWithoutSleep { early.phase == .finished && busy.phase == .finished }
      }
      #expect(answers.map { $0?.bodyByteCount } == [5, 5, 5, nil, nil])
    }

    /// A reactor that the test drives instead of a loop, on its own thread.
    ///
    /// Unchecked Sendable: from the start of the thread on it alone uses the reactor and the transfers.
    private final class Drive: @unchecked Sendable {
      private let loop: CurlLoop
      private let reactor: CurlReactor
      private let completions = Mutex<[ObjectIdentifier: CurlTransfer.Completion]>([:])
      private let kept = DispatchSemaphore(value: 0)

      init(trusting path: String) throws {
        var configuration = HTTPClientConfiguration()
        configuration.proxy = .none
        configuration.certificateAuthorities = .file(path: path)
        loop = CurlLoop(configuration: configuration)
        reactor = CurlReactor(
          multi: try CurlMulti(configuration: configuration, waker: try #require(LoopWaker())),
          configuration: configuration, counters: loop.counters)
      }

      func transfer(to url: URL, onPiece: @escaping @Sendable () -> Void = {}) throws -> CurlTransfer {
        var request = HTTPRequest(url: url)
        // No limit of ours wakes the thread by chance.
        request.timeouts = HTTPTimeouts(connect: .seconds(3600), idle: .seconds(3600), total: .seconds(3600))
        return CurlTransfer(
          request: request, origin: try request.validatedOrigin(),
          sink: RecordingSink(onPiece: { _ in onPiece() }), loop: loop, addressFilter: nil, hostRule: .any)
      }

      func start(_ transfer: CurlTransfer) {
        guard let completion = completions.withLock({ $0[ObjectIdentifier(transfer)] }) else { return }
        reactor.start(transfer, completion)
      }

      /// Drives the reactor as its loop does, until a condition holds.
      func turn(until condition: () -> Bool) {
        while !condition() { reactor.wait(milliseconds: min(100, reactor.turn())) }
      }

      /// Drives the reactor until a condition holds, or until it would sleep although no more bytes come.
      func turnWithoutSleep(until condition: () -> Bool) {
        while true {
          let patience = reactor.turn()
          // Before the wait: the turn may have been the last.
          if condition() { return }
          guard reactor.wait(milliseconds: min(patience, 20_000)) || patience < 20_000 else { return }
        }
      }

      /// Returns when the connection has bytes to read.
      func waitForBytes() {
        guard let descriptor = reactor.sockets.descriptors.first else { return }
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while poll(&entry, 1, -1) < 0 {}
      }

      /// Runs the body on a thread, then gives up what has no answer.
      func answers(
        to transfers: [CurlTransfer], _ body: @escaping @Sendable () -> Void
      ) async -> [HTTPResponse?] {
        let answers = transfers.map { transfer in
          Task {
            let result = await withCheckedContinuation { completion in
              self.completions.withLock { $0[ObjectIdentifier(transfer)] = completion }
              self.kept.signal()
            }
            return try? result.get()
          }
        }
        Thread {
          for _ in transfers { self.kept.wait() }
          body()
          self.reactor.cancelAll()
          self.reactor.close()
        }.start()
        var responses: [HTTPResponse?] = []
        for answer in answers { responses.append(await answer.value) }
        return responses
      }
    }
  }
#endif
