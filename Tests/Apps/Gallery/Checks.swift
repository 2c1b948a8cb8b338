#if GTK
  /// Counts the checks of a drill, and records those that failed.
  @MainActor
  final class Checks {
    private(set) var count = 0
    private(set) var failures: [String] = []

    /// Records a check.
    @discardableResult
    func expect(_ holds: Bool, _ claim: @autoclosure () -> String) -> Bool {
      count += 1
      if !holds { failures.append("not so: \(claim())") }
      return holds
    }

    /// Checks that two values are equal.
    func equal<Value: Equatable>(_ value: Value, _ expected: Value, _ what: String) {
      expect(value == expected, "\(what) is \(expected), but it is \(value)")
    }

    /// Waits, frame by frame, until a condition holds, and records whether it did within a minute.
    @discardableResult
    func eventually(
      _ claim: String, _ screen: Screen, _ holds: () -> Bool
    ) async -> Bool {
      await screen.frames(while: { !holds() })
      return expect(holds(), claim)
    }
  }

  extension DrillOutput {
    /// Adds the checks of a drill to the output.
    func add(_ drill: String, _ checks: Checks, detail: String, figures: [String: Double] = [:]) {
      let failures = checks.count == 0 ? ["nothing was checked"] : checks.failures
      add(drill, failures: failures, detail: "\(checks.count) checks: \(detail)", figures: figures)
    }
  }
#endif
