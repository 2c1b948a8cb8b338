#if os(Linux)
  import Foundation
  import Glibc
  import OzuImaging
  import OzuBase
  import OzuTesting
  import Testing

  @testable import OzuIsolation

  @Suite("A thousand requests, good and bad", .timeLimit(.minutes(5)))
  struct WorkerPoolStressTests {
    static var descriptorCount: Int {
      (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
    }

    /// The resident memory of this process in bytes.
    static var residentByteCount: Int {
      let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
      return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * Int(getpagesize())
    }

    /// Equal for equal seeds in every run: SplitMix64 (Steele et al. 2014).
    struct Generator: RandomNumberGenerator {
      var state: UInt64

      mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
      }
    }

    /// One request in `count` is this bad one.
    static let bad: [(name: String, outcome: WorkerMisdeedTests.Outcome)] =
      (WorkerMisdeedTests.always + (!Drills.isConfined ? [] : WorkerMisdeedTests.confined)).filter {
        // These take long.
        $0.0 != "spin" && $0.0 != "good-bye"
      }

    private static func ask(_ pool: WorkerPool, _ generator: inout Generator, _ number: UInt64) throws {
      guard Int.random(in: 0..<10, using: &generator) >= 4 else {
        let (name, expected) = bad.randomElement(using: &generator) ?? bad[0]
        let outcome: WorkerMisdeedTests.Outcome
        do throws(ImageDecodingError) {
          let deadline: Duration = name == "hang" ? WorkerMisdeedTests.hangTime : .seconds(60)
          outcome = .answer(try pool.ask(Drills.request(name, number: number, deadline: deadline)).message)
        } catch {
          guard case .decoderFailed(.svg, let failure) = error else { throw error }
          outcome = .failure(WorkerMisdeedTests.plain(failure))
        }
        #expect(outcome == expected, "\(name)")
        return
      }
      let kind =
        [Drills.kind, Drills.kind, Drills.threadKind].randomElement(using: &generator) ?? Drills.kind
      let body = Data(
        (0..<Int.random(in: 0..<20_000, using: &generator)).map {
          UInt8(truncatingIfNeeded: $0 ^ Int(number))
        })
      let answer = try pool.ask(Drills.request("reverse", body, number: number, kind: kind))
      #expect(answer.message == "reversed \(number)")
      #expect(answer.payload == Data(body.reversed()))
    }

    @Test(
      "good requests have answers, bad ones errors, and neither memory nor descriptors are left of them",
      arguments: Cases.every(2, of: [1, 2]))
    func mixed(seed: UInt64) async throws {
      let marker = "mixed-\(UUID())"
      let pool = try Drills.pool([marker], workerLimit: 3)
      let numbers = Mutex<UInt64>(0)
      @Sendable func round(_ seed: UInt64, _ count: Int) async throws {
        try await Drills.onThreads(4) { thread in
          var generator = Generator(state: seed &* 100 &+ UInt64(thread))
          for _ in 0..<count {
            let number = numbers.withLock { number -> UInt64 in
              number += 1
              return number
            }
            try Self.ask(pool, &generator, number)
          }
        }
      }
      // Memory that is allocated only once is there after this.
      try await round(seed &+ 1000, 50)
      let memory = Self.residentByteCount
      let descriptors = Self.descriptorCount
      try await round(seed, 250)
      let status = pool.status
      #expect(status.workerCount <= 3)
      #expect(status.startedZygoteCount == 1)
      #expect(status.answerCount + status.failureCount == 1200)
      #if !OZU_ASAN && !OZU_TSAN
        #expect(Self.residentByteCount < memory + 8 << 20)
      #endif
      // Five descriptors for each of the workers that are kept, some of which may have started since.
      #expect(Self.descriptorCount <= descriptors + 15)
      pool.close()
      try await Drills.onThread { #expect(Drills.eventually { Drills.processes(with: marker).isEmpty }) }
    }
  }
#endif
