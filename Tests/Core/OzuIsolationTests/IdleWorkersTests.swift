#if os(Linux)
  import OzuImaging
  import Testing

  @testable import OzuIsolation

  @Suite("The choice of the worker for a request, and of those that end")
  struct IdleWorkersTests {
    static let svg = WorkerKind(name: "svg", type: .svg)
    static let tiff = WorkerKind(name: "tiff", type: .tiff)
    let start = ContinuousClock.now

    /// Workers 0 to 4; the fifth may take more memory.
    var idle: IdleWorkers<Int> {
      var idle = IdleWorkers<Int>()
      let places: [(WorkerKind, UInt64, Int)] = [
        (Self.svg, 10, 100), (Self.tiff, 11, 100), (Self.svg, 12, 100), (Self.svg, 11, 100),
        (Self.svg, 9, 500),
      ]
      for (index, (kind, body, memory)) in places.enumerated() {
        idle.put(
          .init(
            worker: index, kind: kind, bodyNumber: body, memoryByteCount: memory,
            end: start + .seconds(10 - index)))
      }
      return idle
    }

    @Test("a kind that the system does not restrict is tried again after a while, and the others meanwhile")
    func failures() {
      var failures = StartFailures()
      failures.note("seccomp: Cannot allocate memory", of: Self.svg, at: start)
      let end = start + StartFailures.time
      #expect(failures.reason(of: Self.svg, at: end - .nanoseconds(1)) == "seccomp: Cannot allocate memory")
      #expect(failures.reason(of: Self.svg, at: end) == nil)
      #expect(failures.reason(of: Self.tiff, at: start) == nil && failures.reason(of: nil, at: start) == nil)
    }

    @Test(
      "a worker of the kind with enough memory is taken: the one with the body, else the one that was idle for longest",
      arguments: [
        (svg, 12, 100, 2), (svg, 11, 100, 3), (svg, 77, 100, 0), (svg, 12, 101, 4), (svg, 12, 501, nil),
        (tiff, 12, 1, 1), (WorkerKind(name: "svg", type: .svg, readsFonts: true), 12, 1, nil),
      ] as [(WorkerKind, UInt64, Int, Int?)])
    func take(_ kind: WorkerKind, _ body: UInt64, _ memory: Int, _ expected: Int?) {
      var idle = self.idle
      #expect(idle.take(kind, bodyNumber: body, memoryByteCount: memory) == expected)
      #expect(idle.count == (expected == nil ? 5 : 4))
    }

    @Test(
      "the workers that were idle for longest are removed first",
      arguments: [(9, []), (5, []), (3, [0, 1]), (0, [0, 1, 2, 3, 4]), (-1, [0, 1, 2, 3, 4])])
    func room(_ count: Int, _ removed: [Int]) {
      var idle = self.idle
      #expect(idle.removeAll(butLast: count) == removed)
      #expect(idle.count == 5 - removed.count)
    }

    @Test("workers are removed when their idle time has ended")
    func expiry() {
      var idle = self.idle
      #expect(idle.nextEnd == start + .seconds(6))
      #expect(idle.removeExpired(at: start + .seconds(7)) == [3, 4])
      #expect(idle.removeExpired(at: start + .seconds(7)) == [])
      #expect(idle.nextEnd == start + .seconds(8))
    }
  }
#endif
