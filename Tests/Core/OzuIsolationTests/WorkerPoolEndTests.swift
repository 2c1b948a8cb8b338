#if os(Linux)
  import Foundation
  import Glibc
  import OzuImaging
  import OzuBase
  import Testing

  @testable import OzuIsolation

  @Suite("How pools, zygotes and their processes end", .timeLimit(.minutes(5)))
  struct WorkerPoolEndTests {
    @Test("a zygote that was killed is replaced at the next request; a request that a worker had fails")
    func zygote() async throws {
      let marker = "zygote-\(UUID())"
      let pool = try Drills.pool([marker], workerLimit: 2)
      try await Drills.onThread {
        let worker = try pool.ask(Drills.request("process")).message
        let zygote = try #require(Drills.processes(with: marker).first { "\($0)" != worker })
        #expect(throws: ImageDecodingError.decoderFailed(.svg, .crashed(signal: SIGKILL))) {
          try pool.ask(Drills.request("hang")) {
            if kill(zygote, SIGKILL) != 0 { #expect(errno == ESRCH) }
          }
        }
        #expect(Drills.eventually { Drills.processes(with: marker).isEmpty })
        #expect(try pool.ask(Drills.request("process")).message != worker)
        #expect(pool.status.startedZygoteCount == 2)
        // While no request is running.
        #expect(Drills.end(Drills.processes(with: marker)))
        #expect(try pool.ask(Drills.request("reverse")).message == "reversed 0")
        #expect(pool.status.startedZygoteCount == 3)
        #expect(Drills.eventually { Drills.processes(with: marker).count == 2 })
      }
    }

    @Test("a zygote that hangs is killed at the deadline of a request, and replaced at the next")
    func hangingZygote() async throws {
      let marker = "hangs-\(UUID())"
      let pool = try Drills.pool([marker], workerLimit: 2)
      try await Drills.onThread {
        let worker = try pool.ask(Drills.request("process")).message
        let zygote = try #require(Drills.processes(with: marker).first { "\($0)" != worker })
        kill(zygote, SIGSTOP)
        let error = #expect(throws: ImageDecodingError.self) {
          try pool.ask(Drills.request("reverse", kind: Drills.fontKind, deadline: .milliseconds(300)))
        }
        guard case .decoderFailed(.svg, .unavailable) = error else {
          Issue.record("\(String(describing: error))")
          return
        }
        #expect(try pool.ask(Drills.request("reverse", kind: Drills.fontKind)).message == "reversed 0")
        #expect(pool.status.startedZygoteCount == 2)
        #expect(Drills.eventually { kill(zygote, 0) != 0 })
      }
    }

    @Test(
      "a worker that needs long to restrict itself keeps no other waiting, and its threads are counted",
      .enabled(if: Drills.isConfined))
    func slowWorker() async throws {
      let pool = try Drills.pool(workerLimit: 2) { $0.confinement = .required }
      let gate = FileManager.default.temporaryDirectory.path + "/ozu-gate-\(UUID())"
      defer { for file in [gate, gate + ".waits"] { unlink(file) } }
      try await Drills.onThreads(2) { index in
        if index == 0 {
          let slow = WorkerKind(name: "drill" + gate, type: .svg, readsFonts: true)
          let answer = try pool.ask(Drills.request("thread", kind: slow))
          #expect(answer.message == "done")
        } else {
          #expect(Drills.eventually { access(gate + ".waits", F_OK) == 0 })
          let answer = try pool.ask(Drills.request("reverse"))
          #expect(answer.message == "reversed 0")
          #expect(FileManager.default.createFile(atPath: gate, contents: nil))
        }
      }
    }

    @Test("a request that finds no free descriptor gets its worker when there are some again")
    func shortage() async {
      await #expect(processExitsWith: .success) {
        let pool = try Drills.pool()
        try await Drills.onThread {
          var limit = rlimit(rlim_cur: 64, rlim_max: 64)
          setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
          var held: [Int32] = []
          while case let number = open("/dev/null", O_RDONLY), number >= 0 { held.append(number) }
          let answer = try pool.ask(Drills.request("reverse", Data([1, 2]), number: 1)) {
            for number in held { Glibc.close(number) }
            held = []
          }
          #expect(answer.payload == Data([2, 1]))
          #expect(pool.status.failureCount == 0)
        }
      }
    }

    @Test("a worker that ended while it was idle fails no request")
    func idleWorker() async throws {
      let pool = try Drills.pool()
      try await Drills.onThread {
        for _ in 0..<5 {
          let process = try #require(pid_t(try pool.ask(Drills.request("process")).message))
          #expect(Drills.end([process]))
        }
        #expect(pool.status.failureCount == 0)
        #expect(pool.status.startedWorkerCount == 5)
      }
    }

    @Test("a worker that ended while it was idle is not asked while another process has a copy of its socket")
    func copiedSocket() async throws {
      let pool = try Drills.pool(["--liar"])
      try await Drills.onThread {
        let process = try #require(pid_t(try pool.ask(Drills.request("copied")).message))
        #expect(Drills.end([process]))
        _ = try pool.ask(Drills.request("good"))
        #expect(pool.status.startedWorkerCount == 2)
      }
    }

    @Test(
      "a closed pool ends idle workers at once, the others after their work, and refuses waiting and later requests"
    )
    func close() async throws {
      let marker = "close-\(UUID())"
      let pool = try Drills.pool([marker], workerLimit: 1)
      let closed = ImageDecodingError.decoderFailed(.svg, .unavailable("the pool of workers is closed"))
      try await Drills.onThread {
        let answer = try pool.perform(Drills.request("reverse", Data([1, 2])), checkpoint: {}) {
          _, payload throws(ImageDecodingError) in
          let waiting = DispatchSemaphore(value: 0)
          let refused = DispatchSemaphore(value: 0)
          Thread.detachNewThread {
            #expect(throws: closed) { try pool.ask(Drills.request("nothing")) { waiting.signal() } }
            refused.signal()
          }
          waiting.wait()
          pool.close()
          refused.wait()
          return Data(payload)
        }
        #expect(answer == Data([2, 1]))
        #expect(throws: closed) { try pool.ask(Drills.request("nothing")) }
        #expect(Drills.eventually { Drills.processes(with: marker).isEmpty })
      }
    }

    @Test("however many workers ended while they were idle, the next request is answered")
    func manyIdleWorkers() async throws {
      let marker = "many-\(UUID())"
      let pool = try Drills.pool([marker], workerLimit: 12)
      let working = Mutex(0)
      try await Drills.onThreads(12) { _ in
        try pool.perform(Drills.request("nothing"), checkpoint: {}) { _, _ in
          working.withLock { $0 += 1 }
          while working.withLock({ $0 }) < 12 { usleep(1000) }
        }
      }
      try await Drills.onThread {
        #expect(Drills.end(Drills.processes(with: marker)))
        let answer = try pool.ask(Drills.request("reverse"))
        #expect(answer.message == "reversed 0")
        #expect(pool.status.startedWorkerCount == 13)
        #expect(pool.status.workerCount == 1)
      }
    }

    @Test("a released pool leaves no process")
    func forgotten() async throws {
      let marker = "forgotten-\(UUID())"
      try await Drills.onThread {
        do {
          let pool = try Drills.pool([marker], workerLimit: 3)
          _ = try pool.ask(Drills.request("nothing"))
          #expect(Drills.processes(with: marker).count == 2)
        }
        #expect(Drills.eventually { Drills.processes(with: marker).isEmpty })
      }
    }

    @Test("when the process that asks is killed, no process is left")
    func orphans() async throws {
      let marker = "orphans-\(UUID())"
      try await Drills.onThread {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: try Drills.program)
        process.arguments = ["orphans", marker]
        process.standardOutput = output
        try process.run()
        #expect(output.fileHandleForReading.availableData == Data("ready\n".utf8))
        // The process itself, the zygote, and workers that hang, spin, wait and have closed their sockets.
        #expect(Drills.processes(with: marker).count >= 5)
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        #expect(Drills.eventually { Drills.processes(with: marker).isEmpty })
      }
    }

    @Test("a helper that cannot be started is not tried again at once")
    func absent() async throws {
      let pool = WorkerPool(.init(helper: .program("/nowhere/helper"), workerLimit: 1))
      try await Drills.onThread {
        for _ in 0..<100 {
          #expect(
            throws: ImageDecodingError.decoderFailed(
              .svg, .unavailable("/nowhere/helper: No such file or directory"))
          ) { try pool.ask(Drills.request("nothing")) }
        }
        #expect(pool.status.startedZygoteCount == 0)
        #expect(pool.status.failureCount == 100)
      }
    }

    @Test("a program that is not a helper is reported, and not started for each request")
    func otherProgram() async throws {
      let pool = WorkerPool(.init(helper: .program("/bin/true"), workerLimit: 1))
      try await Drills.onThread {
        for _ in 0..<10 {
          #expect(
            throws: ImageDecodingError.decoderFailed(
              .svg, .unavailable("/bin/true ends before it has a worker"))
          ) { try pool.ask(Drills.request("nothing")) }
        }
        #expect(pool.status.startedZygoteCount == 3)
      }
    }

    @Test("a request can be cancelled while it waits for a library that hangs while it is loaded")
    func hangingPreparation() async throws {
      let pool = try Drills.pool()
      try await Drills.onThread {
        let kind = WorkerKind(name: "drill.hangs", type: .svg)
        #expect(throws: ImageDecodingError.cancelled) {
          try pool.ask(Drills.request("nothing", kind: kind)) { () throws(ImageDecodingError) in
            throw .cancelled
          }
        }
      }
    }

    @Test(
      "a confinement that the system refuses is reported, and is an error if it is required",
      .enabled(if: Drills.isConfined),
      arguments: [
        (["--refuse-seccomp"], "seccomp: Operation not permitted", Drills.kind, true),
        (["--refuse-landlock"], "landlock: Operation not permitted", Drills.kind, false),
        (["--refuse-landlock"], "landlock: Operation not permitted", Drills.fontKind, true),
      ])
    func refused(_ arguments: [String], _ missing: String, _ kind: WorkerKind, _ isFault: Bool) async throws {
      let pool = try Drills.pool(arguments)
      let strict = try Drills.pool(arguments) { $0.confinement = .required }
      try await Drills.onThread {
        #expect(try pool.ask(Drills.request("reverse", kind: kind)).message == "reversed 0")
        let confinement = try #require(pool.status.confinement)
        #expect(confinement.missing == [missing])
        #expect(confinement.filtersSystemCalls == (arguments != ["--refuse-seccomp"]))
        #expect((confinement.landlockVersion > 0) == (arguments != ["--refuse-landlock"]))
        #expect(confinement.limitsResources)
        for _ in 0..<3 {
          let result = Result { () throws(ImageDecodingError) in
            try strict.ask(Drills.request("reverse", kind: kind))
          }
          if isFault {
            let error = ImageDecodingError.decoderFailed(
              .svg, .unavailable("it cannot be confined: \(missing)"))
            #expect(throws: error) { try result.get() }
          } else {
            #expect(try result.get().message == "reversed 0")
          }
        }
        #expect(strict.status.startedWorkerCount == 1)
      }
    }

    @Test("all restrictions are in force if the system refuses none", .enabled(if: Drills.isConfined))
    func whole() async throws {
      let pool = try Drills.pool { $0.confinement = .required }
      try await Drills.onThread {
        // On kernels without Landlock the filter denies files.
        let answer = try pool.ask(Drills.request("reverse"))
        #expect(answer.message == "reversed 0")
        #expect(pool.status.confinement?.filtersSystemCalls == true)
        #expect(pool.status.confinement?.limitsResources == true)
      }
    }
  }
#endif
