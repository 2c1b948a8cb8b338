#if os(Linux)
  import Foundation
  import Glibc
  import OzuBase
  import OzuImaging
  import Testing

  @testable import OzuIsolation

  @Suite("Forbidden actions of workers", .timeLimit(.minutes(5)))
  struct WorkerMisdeedTests {
    /// The result of a misdeed: an answer with the system's error, or an end of the worker.
    enum Outcome: Sendable, Equatable {
      case answer(String)
      case failure(DecoderFailure)
    }

    static let forbidden = Outcome.failure(.crashed(signal: SIGSYS))
    static let refused = Outcome.answer("EPERM")
    /// Of a name outside the root folder of a worker that reads fonts, which some systems do not allow.
    static let missing = Outcome.answer(ContainerTests.makesNamespaces ? "ENOENT" : "EACCES")

    /// The deadline of a request that hangs. It includes the start of a worker, which takes long on a busy machine.
    static let hangTime = Duration.seconds(1)

    /// Without the help of a restriction.
    static let always: [(String, Outcome)] = [
      ("null", .failure(.crashed(signal: SIGSEGV))),
      ("abort", .failure(.crashed(signal: SIGABRT))),
      ("stack", .failure(.crashed(signal: SIGSEGV))),
      ("leave", .failure(.ended(status: 3))),
      ("out-of-memory", .failure(.stopped(.memory(byteCount: 64 << 20)))),
      ("much", .failure(.stopped(.memory(byteCount: 64 << 20)))),
      ("hang", .failure(.stopped(.time(hangTime)))),
      ("say-nonsense", .failure(.wrongAnswer("not in the protocol of workers"))),
      ("say-too-much", .failure(.wrongAnswer("a message of 131072 bytes"))),
      ("flood", .failure(.wrongAnswer("not in the protocol of workers"))),
      ("good-bye", .failure(.wrongAnswer("it closed its connection"))),
      ("seal-output", .answer("EPERM")),
      ("forget", .failure(.crashed(signal: SIGSEGV))),
      ("print", .answer("done")),
    ]

    static let confined: [(String, Outcome)] = [
      ("spin", .failure(.stopped(.cpuTime(.seconds(1))))),
      ("allocate", .answer("ENOMEM")),
      ("map-private", .answer("ENOMEM")),
      ("raise-memory", .answer("ENOMEM")),
      ("map-shared", refused), ("map-stack", refused), ("map-code", refused), ("make-code", refused),
      ("read-passwords", refused), ("read-font", refused), ("look-at-passwords", refused),
      ("make-folder", refused),
      ("make-memory", refused), ("signal-later", refused), ("limit-parent", refused),
      ("raise-limit", refused),
      ("grow-output", refused), ("shrink-input", refused), ("shrink-output", refused),
      ("fill-output", .answer("EFBIG")), ("thread", refused), ("name-passwords", forbidden),
      ("namespace", forbidden),
      ("write-file", forbidden), ("socket", forbidden), ("connect", forbidden), ("fork", forbidden),
      ("execute", forbidden), ("trace-parent", forbidden), ("signal-parent", forbidden),
      ("signal-group", forbidden), ("signal-all", forbidden), ("signal-thread", forbidden),
      ("ring", forbidden),
      ("x32", forbidden),
    ]

    static let withFonts: [(String, Outcome)] = [
      ("read-passwords", missing), ("write-file", refused), ("make-folder", refused),
      ("thread", .answer("done")), ("fork", forbidden), ("socket", forbidden), ("execute", forbidden),
      ("threads", .answer("1015")), ("threads-in-turn", .answer("done")), ("namespace", forbidden),
      ("name-passwords", refused), ("follow-link", refused), ("look-at-passwords", missing),
      ("measure-passwords", missing), ("measure-link", missing),
      ("measure-at", missing), ("measure-with-empty", missing),
    ]

    static func outcome(_ name: String, _ kind: WorkerKind, _ pool: WorkerPool) async throws -> Outcome {
      try await Drills.onThread {
        do throws(ImageDecodingError) {
          let deadline: Duration = name == "hang" ? hangTime : .seconds(60)
          // A worker that is ready, because the deadline includes its start.
          if name == "hang" { _ = try pool.ask(Drills.request("reverse", kind: kind)) }
          return .answer(try pool.ask(Drills.request(name, kind: kind, deadline: deadline)).message)
        } catch .decoderFailed(.svg, let failure) { return .failure(plain(failure)) } catch { throw error }
      }
    }

    /// The result without a sanitizer, which ends a crashing process with a status of its own.
    static func plain(_ failure: DecoderFailure) -> DecoderFailure {
      guard !Drills.isConfined, [.ended(status: 1), .ended(status: 66)].contains(failure) else {
        return failure
      }
      return .crashed(signal: SIGSEGV)
    }

    /// Checks that the misdeed has its outcome, and the next request its answer.
    static func check(_ name: String, _ expected: Outcome, _ kind: WorkerKind = Drills.kind) async throws {
      let pool = try Drills.pool()
      #expect(try await outcome(name, kind, pool) == expected)
      #expect(try await outcome("reverse", kind, pool) == .answer("reversed 0"))
      if case .failure = expected { #expect(pool.status.failureCount == 1) }
    }

    @Test("a worker that ends, hangs or lies fails only its own request", arguments: always)
    func process(_ name: String, _ expected: Outcome) async throws {
      try await Self.check(name, expected)
    }

    @Test(
      "shared memory can be neither shrunk nor filled, also without the filter",
      arguments: [
        ("shrink-input", "EPERM"), ("shrink-output", "EPERM"), ("seal-output", "EPERM"),
        ("grow-output", "EFBIG"),
        ("fill-output", "EFBIG"), ("write-file", "EACCES"),
      ])
    func segments(_ name: String, _ error: String) async throws {
      // A sanitizer works without this limit.
      if !Drills.isConfined, error != "EPERM" { return }
      let pool = try Drills.pool(["--refuse-seccomp"])
      try await Drills.onThread {
        let body = Data(repeating: 1, count: 100_000)
        _ = try pool.ask(Drills.request("reverse", body, number: 1))
        let answer = try pool.ask(Drills.request(name, body, number: 1))
        #expect(answer.message == error)
        #expect(try pool.ask(Drills.request("reverse", body, number: 1)).payload == body)
      }
    }

    @Test("processor time has a limit below that of the system, which counts in seconds")
    func shortTime() async throws {
      let pool = try Drills.pool()
      try await Drills.onThread { () throws in
        var request = Drills.request("spin-a-while")
        request.cpuTime = .milliseconds(200)
        #expect(throws: ImageDecodingError.decoderFailed(.svg, .stopped(.cpuTime(.milliseconds(200))))) {
          try pool.ask(request)
        }
        // The longest time means no limit.
        for time in [Duration.seconds(3), .seconds(Int64.max)] {
          request.cpuTime = time
          let answer = try pool.ask(request)
          #expect(answer.message == "done")
        }
      }
    }

    @Test(
      "memory that malloc keeps after one request does not count for the next",
      .enabled(if: Drills.isConfined)
    )
    func keptHeap() async throws {
      let pool = try Drills.pool()
      try await Drills.onThread {
        for name in ["hoard", "use", "use"] {
          let answer = try pool.ask(
            Drills.request(name, memoryByteCount: name == "hoard" ? 64 << 20 : 16 << 20))
          #expect(answer.message == "done")
        }
        let answer = try pool.ask(Drills.request("use", memoryByteCount: 4 << 20))
        #expect(answer.message == "ENOMEM")
        #expect(pool.status.startedWorkerCount == 1)
      }
    }

    @Test(
      "a limit that one request has raised holds for the next", .enabled(if: Drills.isConfined))
    func raisedLimit() async throws {
      let pool = try Drills.pool()
      try await Drills.onThread {
        // By the same worker, with the same limits.
        for name in ["use", "raise-memory", "use", "raise-memory", "use"] {
          let answer = try pool.ask(Drills.request(name, memoryByteCount: 4 << 20))
          #expect(answer.message == "ENOMEM")
        }
        #expect(pool.status.startedWorkerCount == 1)
      }
    }

    @Test("a trap ends a worker")
    func trap() async throws {
      let outcome = try await Self.outcome("trap", Drills.kind, Drills.pool())
      #expect([SIGILL, SIGTRAP].contains { outcome == .failure(.crashed(signal: $0)) })
    }

    @Test(
      "a confined worker reaches neither files nor networks nor other processes",
      .enabled(if: Drills.isConfined),
      arguments: confined)
    func confinement(_ name: String, _ expected: Outcome) async throws {
      try await Self.check(name, expected)
    }

    @Test(
      "a worker that reads fonts reads nothing else", .enabled(if: Drills.isConfined), arguments: withFonts)
    func fonts(_ name: String, _ expected: Outcome) async throws {
      try await Self.check(name, expected, Drills.fontKind)
    }

    @Test(
      "a worker that reads fonts can read them",
      .enabled(if: Drills.isConfined && FileManager.default.fileExists(atPath: "/etc/fonts/fonts.conf")))
    func font() async throws {
      for name in ["read-font", "measure-font"] {
        try await Self.check(name, .answer("done"), Drills.fontKind)
      }
    }

    @Test("a worker that may start threads can start them", arguments: [Drills.threadKind, Drills.fontKind])
    func threads(_ kind: WorkerKind) async throws {
      try await Self.check("thread", .answer("done"), kind)
    }

    @Test(
      "a worker has no capabilities, also if its parent has all", .enabled(if: Drills.isConfined),
      arguments: [Drills.kind, Drills.fontKind])
    func capabilities(_ kind: WorkerKind) async throws {
      let pool = try Drills.pool()
      try await Drills.onThread {
        let process = try pool.ask(Drills.request("process", kind: kind)).message
        let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        for name in ["CapInh", "CapPrm", "CapEff", "CapAmb"] {
          #expect(status.contains("\(name):\t0000000000000000\n"), "\(status)")
        }
      }
    }

    @Test("a low limit on descriptors is enough", arguments: [24, 40, 70])
    func fewDescriptors(_ count: Int) async throws {
      let pool = try Drills.pool(["--descriptors-\(count)"], workerLimit: 2)
      try await Drills.onThread {
        for kind in [Drills.kind, Drills.fontKind, Drills.threadKind, Drills.kind] {
          let answer = try pool.ask(Drills.request("reverse", Data([1, 2]), number: 1, kind: kind))
          #expect(answer.payload == Data([2, 1]))
        }
      }
    }

    @Test("a worker has its streams, its socket, its memory and its usage of memory open, and nothing else")
    func descriptors() async throws {
      #expect(try await Self.outcome("descriptors", Drills.kind, Drills.pool()) == .answer("0 1 2 3 4 5 6"))
    }

    static let lies: [(String, DecoderFailure)] = [
      ("beyond", .wrongAnswer("1 bytes of 0")), ("far beyond", .wrongAnswer("\(UInt64.max) bytes of 0")),
      ("other token", .wrongAnswer("to another request")),
      ("other kind", .wrongAnswer("a message of another kind")),
      ("long", .wrongAnswer("a message of \(WorkerHead.datagramByteCount + 1) bytes")),
      ("more than there is", .stopped(.memory(byteCount: 64 << 20))),
      ("more of nothing", .wrongAnswer("it asked for memory that it already has")),
      ("none", .stopped(.time(.milliseconds(300)))),
    ]

    @Test("wrong replies of a worker that was taken over are detected", arguments: lies)
    func lie(_ name: String, _ failure: DecoderFailure) async throws {
      let pool = try Drills.pool(["--liar"])
      try await Drills.onThread {
        _ = try pool.ask(Drills.request("good"))
        #expect(throws: ImageDecodingError.decoderFailed(.svg, failure)) {
          try pool.ask(Drills.request(name, deadline: name == "none" ? .milliseconds(300) : .seconds(600)))
        }
        let answer = try pool.ask(Drills.request("good"))
        #expect(answer.message.isEmpty)
      }
    }

    @Test(
      "memory that the system does not have for a worker is no reason to decode its file without isolation")
    func noMemory() async throws {
      let pool = try Drills.pool(["--liar"])
      let failure = DecoderFailure.other("got no memory for its answer: \(systemMessage(ENOMEM))")
      _ = try await Drills.onThread {
        #expect(throws: ImageDecodingError.decoderFailed(.svg, failure)) {
          try pool.ask(Drills.request("more than the system has", memoryByteCount: 1 << 62))
        }
      }
    }

    @Test("a second answer is never taken for the answer to the next request")
    func twice() async throws {
      let pool = try Drills.pool(["--liar"])
      try await Drills.onThread {
        for _ in 0..<200 {
          // Found at once if the second answer is quick.
          do throws(ImageDecodingError) { _ = try pool.ask(Drills.request("twice")) } catch {
            let failure = DecoderFailure.wrongAnswer("more than one answer, or the end after it")
            #expect(error == .decoderFailed(.svg, failure))
          }
          _ = try pool.ask(Drills.request("good"))
        }
      }
    }

    @Test("however many idle workers were taken over, the next request is answered")
    func manyTakenOver() async throws {
      let pool = try Drills.pool(["--liar"], workerLimit: 9)
      let working = Mutex(0)
      try await Drills.onThreads(9) { _ in
        try pool.perform(Drills.request("repeat"), checkpoint: {}) { _, _ in
          working.withLock { $0 += 1 }
          while working.withLock({ $0 }) < 9 { usleep(1000) }
        }
      }
      try await Drills.onThread {
        let answer = try pool.ask(Drills.request("good"))
        #expect(answer.message.isEmpty)
        #expect(pool.status.startedWorkerCount == 10)
      }
    }

    @Test("a worker that goes on after its answer gets no other file")
    func restless() async throws {
      let pool = try Drills.pool(["--liar"])
      try await Drills.onThread {
        let process = try pool.ask(Drills.request("restless")).message
        let clock = try #require(pid_t(process).flatMap(ProcessClock.init))
        let first = try #require(clock.time)
        let start = ContinuousClock.now
        // More than it may use after its answer, also where a busy machine makes the answer take long.
        while let time = clock.time, time - first < .milliseconds(800), .now - start < .seconds(20) {
          usleep(5000)
        }
        _ = try pool.ask(Drills.request("good"))
        #expect(pool.status.startedWorkerCount == 2)
      }
    }

    @Test("a descriptor that a worker sends is not accepted")
    func descriptor() async throws {
      let pool = try Drills.pool(["--liar"])
      try await Drills.onThread {
        _ = try pool.ask(Drills.request("good"))
        let count = WorkerPoolStressTests.descriptorCount
        for _ in 0..<20 { _ = try pool.ask(Drills.request("descriptor")) }
        // Other tests of this process open and close descriptors too.
        #expect(Drills.eventually { WorkerPoolStressTests.descriptorCount < count + 20 })
      }
    }
  }
#endif
