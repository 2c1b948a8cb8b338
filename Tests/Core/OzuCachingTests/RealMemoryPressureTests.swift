import Foundation
import OzuBase
import Testing

@testable import OzuCaching

#if os(Linux) && canImport(Glibc)
  import Glibc

  /// The kernel's own events: a process in a small control group needs more memory than that has, and a cache that
  /// watches the group gives back what it holds. The whole machine feels it, and with it the caches of every test that
  /// runs beside: so `make drills-memory` runs this suite alone.
  @Suite("Memory pressure that is real", .timeLimit(.minutes(2)))
  struct RealMemoryPressureTests {
    /// A control group with little memory, and what is seen of it as if it were the process's own.
    private struct SmallGroup: ~Copyable {
      /// Where the group's pressure shows (version 2), and where its memory is limited: there too, or in version 1.
      let watched: String
      let limited: String
      let root: String
      let file: String

      /// Nil where control groups cannot be made, or do not tell of pressure.
      init?() {
        let name = "ozu-test-\(getpid())"
        let mounts = "/sys/fs/cgroup"
        let candidates = [
          (mounts, mounts, "memory.max"), (mounts + "/unified", mounts + "/memory", "memory.limit_in_bytes"),
        ]
        for (watching, limiting, limit) in candidates {
          let (watched, limited) = (watching + "/" + name, limiting + "/" + name)
          mkdir(watched, 0o700)
          mkdir(limited, 0o700)
          let monitor = Glibc.open(watched + "/memory.pressure", O_RDWR | O_CLOEXEC)
          if monitor >= 0 { close(monitor) }
          if monitor >= 0, Self.write("8388608", to: limited + "/" + limit),
            let folder = try? Self.makeRoot(showing: watched, as: name)
          {
            (self.watched, self.limited, root) = (watched, limited, folder)
            file = folder + "/file"
            return
          }
          rmdir(watched)
          rmdir(limited)
        }
        return nil
      }

      deinit {
        try? FileManager.default.removeItem(atPath: root)
        rmdir(watched)
        rmdir(limited)
      }

      private static func write(_ text: String, to path: String) -> Bool {
        let file = Glibc.open(path, O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        return text.withCString { Glibc.write(file, $0, strlen($0)) } > 0
      }

      private static func makeRoot(showing group: String, as name: String) throws -> String {
        let files = FileManager.default
        let root = files.temporaryDirectory.path + "/ozu-pressure-\(UUID())"
        for folder in ["/proc/self", "/sys/fs/cgroup"] {
          try files.createDirectory(atPath: root + folder, withIntermediateDirectories: true)
        }
        try Data("0::/\(name)\n".utf8).write(to: URL(fileURLWithPath: root + "/proc/self/cgroup"))
        try files.createSymbolicLink(
          atPath: root + "/sys/fs/cgroup/" + name, withDestinationPath: group)
        return root
      }

      /// Writes three times what the group may hold, in a process that is in it.
      func need() throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = [
          "-c",
          """
          echo $$ > '\(limited)/cgroup.procs'; echo $$ > '\(watched)/cgroup.procs'
          dd if=/dev/zero of='\(file)' bs=65536 count=384
          """,
        ]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
      }

      static var isPossible: Bool { SmallGroup() != nil }
    }

    @Test(
      "a control group short of memory shrinks the cache that watches it",
      .enabled(
        if: ProcessInfo.processInfo.environment["OZU_MEMORY_DRILL"] != nil,
        "tests beside this one would feel it: make drills-memory"),
      .enabled(if: SmallGroup.isPossible, "control groups cannot be made here, or do not tell of pressure"))
    func shrinks() throws {
      guard let group = SmallGroup() else { return }
      // A millisecond of stall is enough, so that the test disturbs nobody else who watches for pressure.
      let monitor = SystemMemoryPressure(root: group.root, stall: 1000)
      let cache = MemoryCache<Int, Int>(
        MemoryCacheConfiguration(costLimit: 1000, maximumEntryFraction: 1, pressure: monitor))
      for key in 0..<100 { cache.store(key, forKey: key, cost: 10) }
      #expect(monitor.isWatching)
      let isTold = DispatchSemaphore(value: 0)
      // Observers are told one after the other: when the second round comes here, the cache has had the first.
      let observation = monitor.observe { _ in isTold.signal() }
      for _ in 0..<10 where cache.totalCost > 500 {
        let process = try group.need()
        _ = isTold.wait(timeout: .now() + 5)
        process.waitUntilExit()
      }
      #expect(cache.totalCost <= 500)
      #expect(cache.statistics.pressureEvents > 0)
      #expect(cache.statistics.pressureEvictions >= 50)
      observation.cancel()
    }
  }
#endif
