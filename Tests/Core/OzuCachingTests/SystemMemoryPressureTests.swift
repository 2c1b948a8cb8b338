import Foundation
import OzuBase
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
      let counts = LinuxPressureSources.Counts(text)
      #expect(counts.pressure(after: before, isNear: { _ in true }) == expected)
      #expect(counts.pressure(after: counts, isNear: { _ in true }) == nil)
    }

    /// The files of a control group: the memory, those parts of it that belong to files, and the limits.
    struct Group: Sendable {
      var current: Int? = 100
      var stat: String? = "anon 10\nfile 90\ninactive_file 0\nactive_file 0\n"
      var max = "100\n"
      var high = "max\n"

      func write(_ events: String, in root: String) throws {
        let files = [
          "proc/self/cgroup": "0::/shop\n", "sys/fs/cgroup/shop/memory.events": events,
          "sys/fs/cgroup/shop/memory.current": current.map { "\($0)\n" },
          "sys/fs/cgroup/shop/memory.stat": stat, "sys/fs/cgroup/shop/memory.max": max,
          "sys/fs/cgroup/shop/memory.high": high,
        ]
        for (name, text) in files {
          let file = URL(fileURLWithPath: root).appendingPathComponent(name)
          try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
          // In place, as the kernel changes them.
          if let text { try Data(text.utf8).write(to: file) }
        }
      }
    }

    @Test(
      "a control group that is full of file pages, which can be dropped, is under no pressure",
      arguments: [
        (Group(stat: "anon 20\ninactive_file 50\nactive_file 30\n"), "max 7", nil),
        (Group(stat: "anon 20\ninactive_file 50\nactive_file 30\n"), "oom 1", .critical),
        (Group(stat: "anon 74\ninactive_file 20\nactive_file 6\n"), "max 7", nil),
        (Group(stat: "anon 75\ninactive_file 20\nactive_file 5\n"), "max 7", .critical),
        (Group(stat: "inactive_file 200\nactive_file 0\n"), "max 7", nil),
        (Group(stat: "file 90\n"), "max 7", .critical),
        (Group(current: 50, stat: "inactive_file 20\nactive_file 10\n", high: "50\n"), "high 7", nil),
        (Group(current: 50, stat: "inactive_file 5\nactive_file 5\n", high: "50\n"), "high 7", .warning),
        // At the limit that throttles it, and far from the other.
        (
          Group(current: 50, stat: "inactive_file 0\nactive_file 0\n", high: "50\n"), "high 7\nmax 7",
          .warning
        ),
        // A group inside this one reached its limit; this one has none.
        (Group(stat: "inactive_file 0\nactive_file 0\n", max: "max\n"), "max 7", nil),
        // A file that cannot be read is no reason to wait.
        (Group(current: nil), "max 7", .critical), (Group(stat: nil, high: "50\n"), "high 7", .warning),
        (Group(max: "?"), "max 7", .critical), (Group(high: ""), "high 7", .warning),
      ] as [(Group, String, MemoryPressure?)])
    func filePages(group: Group, events: String, expected: MemoryPressure?) throws {
      let root = FileManager.default.temporaryDirectory.path + "/ozu-pressure-\(UUID())"
      defer { try? FileManager.default.removeItem(atPath: root) }
      try group.write("high 0\nmax 0\noom 0\n", in: root)
      var sources = LinuxPressureSources(root: root)
      try #require(sources.count == 1)
      try group.write(events, in: root)
      // The kernel reports a change of these files as an error too.
      let meanings = (0..<2).map { _ in sources.meaning(of: Int16(POLLPRI | POLLERR), fromSource: 0) }
      #expect(meanings == [.pressure(expected), .pressure(nil)])
    }

    @Test("the files of a control group that was removed are ignored from then on; they are ready for ever")
    func removedGroup() throws {
      var pipes: [[Int32]] = []
      for _ in 0..<2 {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        pipes.append(ends)
      }
      defer { for ends in pipes { close(ends[1]) } }
      // A pipe cannot be read at an offset, like a file of a removed group. The sources close what they are given.
      var sources = LinuxPressureSources(
        stalls: [(pipes[0][0], .critical)], events: [(pipes[1][0], pipes[1][0])])
      let (ready, removed) = (Int16(POLLPRI), Int16(POLLPRI | POLLERR))
      let reports = [(ready, 0), (removed, 0), (removed, 1), (Int16(POLLERR), 1)]
      let meanings = reports.map { sources.meaning(of: $0.0, fromSource: $0.1) }
      #expect(meanings == [.pressure(.critical), .gone, .gone, .gone])
    }

    @Test("where the system has nothing to wait for, an observer is never called, and there is no error")
    func nothing() {
      let monitor = SystemMemoryPressure(root: "/nowhere-at-all")
      let observation = monitor.observe { _ in Issue.record("told of pressure by nobody") }
      observation.cancel()
      observation.cancel()
      #expect(!monitor.isWatching)
    }

    @Test("the system is watched while there is an observer")
    func lifetime() {
      let monitor = SystemMemoryPressure(root: "")
      let first = monitor.observe { _ in }
      let second = monitor.observe { _ in }
      first.cancel()
      #expect(monitor.isWatching)
      second.cancel()
      #expect(!monitor.isWatching)
    }
  }
#endif
