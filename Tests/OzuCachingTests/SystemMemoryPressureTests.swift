import OzuSynchronization
import Testing

@testable import OzuCaching

#if os(Linux) && canImport(Glibc)
  import Glibc

  @Suite("Memory pressure of the system")
  struct SystemMemoryPressureTests {
    @Test(
      "a control group that hit its limit is critical, one that was throttled a warning",
      arguments: [
        ("high 0\nmax 0\noom 0\n", nil), ("low 4\nhigh 1\nmax 0\noom 0\n", .warning),
        ("high 1\nmax 1\noom 0\n", .critical), ("high 0\nmax 0\noom 1\noom_kill 1\n", .critical),
        ("low 9\noom_kill 3\n", nil), ("", nil), ("high x\nmax\n", nil),
      ] as [(String, MemoryPressure?)])
    func events(text: String, expected: MemoryPressure?) {
      let before = LinuxPressureSources.Counts("high 0\nmax 0\noom 0\n")
      #expect(LinuxPressureSources.Counts(text).pressure(after: before) == expected)
      #expect(LinuxPressureSources.Counts(text).pressure(after: LinuxPressureSources.Counts(text)) == nil)
    }

    @Test("where the system has nothing to wait for, an observer is never called, and there is no error")
    func nothing() {
      let monitor = SystemMemoryPressure(root: "/nowhere-at-all")
      let observation = monitor.observe { _ in Issue.record("told of pressure by nobody") }
      #expect(monitor.sourceCount == 0)
      observation.cancel()
      observation.cancel()
    }

    @Test("sources are open while there is an observer, and closed afterwards")
    func lifetime() {
      let monitor = SystemMemoryPressure(root: "")
      let first = monitor.observe { _ in }
      let count = monitor.sourceCount
      let second = monitor.observe { _ in }
      first.cancel()
      #expect(monitor.sourceCount == count)
      second.cancel()
      #expect(monitor.sourceCount == 0)
    }
  }
#endif
