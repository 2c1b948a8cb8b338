#if os(Linux)
  import Foundation
  import Glibc
  import OzuImaging
  import OzuBase
  import Testing

  @testable import OzuIsolation

  @Suite("Workers", .timeLimit(.minutes(5)))
  struct WorkerPoolTests {
    private static func body(_ byteCount: Int) -> Data {
      Data((0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    }

    @Test("requests are answered, however large their bodies are")
    func answers() async throws {
      let pool = try Drills.pool()
      try await Drills.onThread {
        for (number, byteCount) in [0, 1, 65_536, 65_537, 10, 300_000, 0, 99_999].enumerated() {
          let body = Self.body(byteCount)
          let answer = try pool.ask(Drills.request("reverse", body, number: UInt64(number)))
          #expect(answer.message == "reversed \(number)")
          #expect(answer.payload == Data(body.reversed()))
        }
        // More than a worker keeps.
        let large = Data(repeating: 7, count: 70 << 20) + Self.body(5)
        for (number, body) in [(8, large), (9, Self.body(5))] {
          let request = Drills.request("copy", body, number: UInt64(number), memoryByteCount: 80 << 20)
          #expect(try pool.ask(request).payload == body)
        }
        #expect(pool.status.answerCount == 10)
        #expect(pool.status.startedZygoteCount == 1)
      }
    }

    @Test("the longest message arrives, and the longest name of a kind")
    func longest() async throws {
      let kind = WorkerKind(name: String(repeating: "k", count: WorkerKind.nameByteCount), type: .svg)
      let pool = try Drills.pool()
      try await Drills.onThread {
        let name = String(repeating: "m", count: WorkerRequest.messageByteCount)
        let answer = try pool.ask(Drills.request(name, kind: kind))
        #expect(answer.message == "unknown")
      }
    }

    @Test("a body is copied once into a worker that keeps it, and found in the worker that has it")
    func bodies() async throws {
      let pool = try Drills.pool(workerLimit: 2)
      try await Drills.onThread {
        // Two workers, one body each.
        let first = Self.body(100)
        let second = Self.body(200)
        let processes = try [(first, 1), (second, 2)].map { body, number in
          try pool.perform(Drills.request("process", body, number: UInt64(number)), checkpoint: {}) {
            message, _ throws(ImageDecodingError) in
            if number == 1 { _ = try pool.ask(Drills.request("reverse", second, number: 2)) }
            return message
          }
        }
        #expect(processes[0] != processes[1])
        for _ in 0..<5 {
          for (index, (body, number)) in [(first, 1), (second, 2)].enumerated() {
            let request = Drills.request("process", body, number: UInt64(number))
            #expect(try pool.ask(request).message == String(decoding: processes[index], as: UTF8.self))
            // Other bytes under its number do not reach the worker.
            let reversed = Drills.request("reverse", Data(count: body.count), number: UInt64(number))
            #expect(try pool.ask(reversed).payload == Data(body.reversed()))
          }
        }
        #expect(pool.status.startedWorkerCount == 2)
      }
    }

    @Test("a kind is prepared once, in the process that all its workers come from")
    func preparation() async throws {
      let pool = try Drills.pool(workerLimit: 1)
      try await Drills.onThread {
        for kind in [Drills.kind, Drills.threadKind, Drills.kind, Drills.threadKind] {
          _ = try? pool.ask(Drills.request("abort", kind: kind))
        }
        let answer = try pool.ask(Drills.request("prepared"))
        #expect(answer.message == "2")
        // A sanitizer may have threads of its own.
        if Drills.isConfined { #expect(pool.status.confinement?.zygoteThreadCount == 1) }
      }
    }

    @Test(
      "a kind whose preparation was incomplete is prepared again before each worker, until it is complete")
    func latePreparation() async throws {
      let pool = try Drills.pool { $0.requestLimit = 1 }
      let kind = WorkerKind(name: "drill.late", type: .svg)
      try await Drills.onThread {
        let counts = try (0..<4).map { _ in try pool.ask(Drills.request("prepared", kind: kind)).message }
        #expect(counts == ["1", "2", "2", "2"])
      }
    }

    @Test("a worker is retired after its limit of requests")
    func retirement() async throws {
      let pool = try Drills.pool { $0.requestLimit = 3 }
      try await Drills.onThread {
        var processes: [String] = []
        for _ in 0..<9 { processes.append(try pool.ask(Drills.request("process")).message) }
        #expect(Set(processes).count == 3)
        #expect(processes[0] == processes[2] && processes[2] != processes[3])
        #expect(pool.status.startedWorkerCount == 3)
      }
    }

    @Test("an idle worker ends, and one with a large body ends sooner")
    func idle() async throws {
      let marker = "idle-\(UUID())"
      let pool = try Drills.pool([marker]) { $0.idleTime = .milliseconds(20) }
      let large = try Drills.pool([marker + "-large"])
      try await Drills.onThread {
        _ = try pool.ask(Drills.request("nothing"))
        #expect(Drills.eventually { pool.status.workerCount == 0 })
        #expect(Drills.eventually { Drills.processes(with: marker).count == 1 })
        let body = Data(count: SharedSegment.keptByteCount + 1)
        _ = try large.ask(Drills.request("nothing", body))
        #expect(Drills.eventually { large.status.workerCount == 0 })
      }
    }

    @Test("there are never more workers than the limit, and idle ones of other kinds are ended for a new one")
    func room() async throws {
      let marker = "room-\(UUID())"
      let pool = try Drills.pool([marker], workerLimit: 2)
      try await Drills.onThread {
        for index in 0..<6 {
          _ = try pool.ask(Drills.request("nothing", kind: WorkerKind(name: "kind \(index)", type: .svg)))
          #expect(pool.status.workerCount <= 2)
        }
        #expect(Drills.eventually { Drills.processes(with: marker).count == 3 })
      }
    }

    @Test("requests wait for their turn, in order, and can be cancelled meanwhile")
    func turns() async throws {
      let pool = try Drills.pool()
      let order = Mutex<[Int]>([])
      let begun = DispatchSemaphore(value: 0)
      let proceed = DispatchSemaphore(value: 0)
      async let first: Void = Drills.onThread {
        try pool.perform(Drills.request("nothing"), checkpoint: {}) { _, _ in
          begun.signal()
          proceed.wait()
        }
      }
      try await Drills.onThread { begun.wait() }
      let waiting = Mutex(0)
      async let others: Void = Drills.onThreads(4) { index in
        // One after the other, each when the one before it waits.
        while waiting.withLock({ $0 }) < index { usleep(1000) }
        var asked = false
        let request = Drills.request("nothing")
        let result = Result { () throws(ImageDecodingError) in
          try pool.perform(
            request,
            checkpoint: { () throws(ImageDecodingError) in
              if !asked { waiting.withLock { $0 += 1 } }
              asked = true
              if index == 1 { throw .cancelled }
            },
            read: { _, _ in order.withLock { $0.append(index) } })
        }
        if index == 1 {
          #expect(throws: ImageDecodingError.cancelled) { try result.get() }
        } else {
          try result.get()
        }
      }
      try await Drills.onThread {
        while waiting.withLock({ $0 }) < 4 { usleep(1000) }
        proceed.signal()
      }
      try await first
      try await others
      #expect(order.withLock { $0 } == [0, 2, 3])
    }

    @Test("a closure that throws ends the worker, and the error is passed on", arguments: [true, false])
    func refusal(whileReading: Bool) async throws {
      let pool = try Drills.pool()
      try await Drills.onThread {
        let process = try pool.ask(Drills.request("process")).message
        #expect(throws: ImageDecodingError.cancelled) {
          try pool.perform(
            Drills.request(whileReading ? "nothing" : "hang"),
            checkpoint: { () throws(ImageDecodingError) in if !whileReading { throw .cancelled } },
            read: { _, _ throws(ImageDecodingError) in throw .cancelled })
        }
        #expect(try pool.ask(Drills.request("process")).message != process)
        #expect(pool.status.failureCount == 0)
      }
    }

    #if !OZU_ASAN && !OZU_TSAN
      @Test("a large payload does not keep its memory")
      func large() async throws {
        let pool = try Drills.pool()
        try await Drills.onThread {
          _ = try pool.ask(Drills.request("nothing"))
          let memory = WorkerPoolStressTests.residentByteCount
          for _ in 0..<3 {
            let sum = try pool.perform(Drills.request("fill", memoryByteCount: 100 << 20), checkpoint: {}) {
              _, payload in stride(from: 0, to: payload.count, by: 4096).reduce(0) { $0 + Int(payload[$1]) }
            }
            #expect(sum == 80 << 8)
            // Other tests of this process have memory too. A payload that is kept would be 100 MB.
            #expect(Drills.eventually { WorkerPoolStressTests.residentByteCount < memory + 90 << 20 })
          }
          #expect(pool.status.startedWorkerCount == 1)
        }
      }
    #endif

    @Test("answers that the reader does not copy are overwritten later: the memory is kept")
    func kept() async throws {
      let pool = try Drills.pool()
      try await Drills.onThread {
        var addresses: Set<UInt> = []
        for number in 0..<10 {
          let address = try pool.perform(
            Drills.request("reverse", Self.body(50_000), number: UInt64(number)), checkpoint: {}
          ) { _, payload in UInt(bitPattern: payload.baseAddress) }
          addresses.insert(address)
        }
        #expect(addresses.count == 1)
      }
    }
  }
#endif
