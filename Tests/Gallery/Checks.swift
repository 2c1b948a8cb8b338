#if GTK
  /// What a drill claims, counted, and which claims did not hold.
  @MainActor
  final class Checks {
    private(set) var count = 0
    private(set) var failures: [String] = []

    /// Notes a claim.
    @discardableResult
    func expect(_ holds: Bool, _ claim: @autoclosure () -> String) -> Bool {
      count += 1
      if !holds { failures.append("not so: \(claim())") }
      return holds
    }

    /// Notes that two values are equal.
    func equal<Value: Equatable>(_ value: Value, _ expected: Value, _ what: String) {
      expect(value == expected, "\(what) is \(expected), but it is \(value)")
    }

    /// Waits, frame by frame, until something holds, and notes whether it came to that within so many frames.
    @discardableResult
    func eventually(
      _ claim: String, _ screen: Screen, frameCount: Int = 900, _ holds: () -> Bool
    ) async -> Bool {
      for _ in 0..<frameCount {
        if holds() { break }
        await screen.nextFrame()
      }
      return expect(holds(), claim)
    }
  }

  extension DrillOutput {
    /// Tells of a drill's claims.
    func add(_ drill: String, _ checks: Checks, detail: String, figures: [String: Double] = [:]) {
      let failures = checks.count == 0 ? ["nothing was checked"] : checks.failures
      add(drill, failures: failures, detail: "\(checks.count) checks: \(detail)", figures: figures)
    }
  }
#endif
