import Dispatch
import Foundation
import OzuBase
import OzuTesting
import Testing

@testable import OzuCaching

#if os(Linux) && canImport(Glibc)
  import Glibc

  /// The thread that waits for the kernel's events, woken by real ones: urgent data on a connection makes a
  /// descriptor exceptional for `poll` as a stall trigger and `memory.events` do, and needs no privileges.
  @Suite("Waiting for memory pressure")
  struct MemoryPressureThreadTests {
    /// A connected pair of sockets; the kernel's side is the one that is waited for.
    private struct Connection {
      let kernel: Int32
      let test: Int32

      init() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        test = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let (client, size) = (test, length)
        let isConnected = withUnsafeMutablePointer(to: &address) { pointer in
          pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
            bind(listener, pointer, size) == 0 && listen(listener, 1) == 0
              && getsockname(listener, pointer, &length) == 0 && connect(client, pointer, size) == 0
          }
        }
        kernel = isConnected ? accept(listener, nil, nil) : -1
        try #require(kernel >= 0)
      }

      func signal() -> Bool { send(test, "!", 1, Int32(truncatingIfNeeded: MSG_OOB)) == 1 }

      /// Reads the urgent data, as the kernel clears a trigger after a wait.
      static func clear(_ file: Int32) {
        var byte: UInt8 = 0
        recv(file, &byte, 1, Int32(truncatingIfNeeded: MSG_OOB))
      }
    }

    /// The levels that the thread reported, one at a time.
    private final class Heard: Sendable {
      private let list = Mutex<[MemoryPressure]>([])
      private let bell = DispatchSemaphore(value: 0)

      func add(_ pressure: MemoryPressure) {
        list.withLock { $0.append(pressure) }
        bell.signal()
      }

      func next() -> MemoryPressure? {
        bell.wait()
        return list.withLock { $0.isEmpty ? nil : $0.removeFirst() }
      }
    }

    /// Waits until the other side closed.
    private static func isClosed(_ file: Int32) -> Bool {
      var byte: UInt8 = 0
      while true {
        let count = recv(file, &byte, 1, 0)
        if count == 0 || (count < 0 && errno != EINTR) { return true }
      }
    }

    @Test("stalls are reported as they occur, and the descriptors close with the observation")
    func stalls() throws {
      let (some, full) = (try Connection(), try Connection())
      defer { for file in [some.test, full.test] { close(file) } }
      var ends: [Int32] = [-1, -1]
      try #require(pipe(&ends) == 0)
      let heard = Heard()
      LinuxPressureThread.start(wakePipe: ends[0]) { pressure in
        Connection.clear(pressure == .warning ? some.kernel : full.kernel)
        heard.add(pressure)
      } open: {
        LinuxPressureSources(stalls: [(some.kernel, .warning), (full.kernel, .critical)], events: [])
      }
      for expected in [MemoryPressure.warning, .critical, .warning] {
        #expect((expected == .warning ? some : full).signal())
        #expect(heard.next() == expected)
      }
      close(ends[1])
      #expect(Self.isClosed(some.test))
      #expect(Self.isClosed(full.test))
    }

    @Test(
      "the kernel's files are opened after the delay, as closing them holds up the end of a short process")
    func delay() throws {
      var ends: [Int32] = [-1, -1]
      try #require(pipe(&ends) == 0)
      let (start, opened) = (ContinuousClock.now, DispatchSemaphore(value: 0))
      LinuxPressureThread.start(after: .milliseconds(20), wakePipe: ends[0]) { _ in
      } open: {
        opened.signal()
        return LinuxPressureSources(stalls: [], events: [])
      }
      opened.wait()
      #expect(start.duration(to: .now) >= .milliseconds(20))
      close(ends[1])
    }

    @Test("a control group's events empty a cache through the thread")
    func events() throws {
      let path = FileManager.default.temporaryDirectory.path + "/ozu-memory-events-\(UUID())"
      defer { unlink(path) }
      func write(_ text: String) throws { try Data(text.utf8).write(to: URL(fileURLWithPath: path)) }
      try write("low 0\nhigh 0\nmax 0\noom 0\noom_kill 0\n")
      let text = open(path, O_RDWR | O_CLOEXEC)
      let group = try Connection()
      defer { close(group.test) }
      var ends: [Int32] = [-1, -1]
      try #require(pipe(&ends) == 0)
      let pressure = ManualMemoryPressure()
      let cache = MemoryCache<Int, Int>(
        MemoryCacheConfiguration(costLimit: 1000, maximumEntryFraction: 1, pressure: pressure))
      for key in 0..<10 { cache.store(key, forKey: key, cost: 100) }
      let (heard, opened) = (Heard(), DispatchSemaphore(value: 0))
      LinuxPressureThread.start(wakePipe: ends[0]) { event in
        Connection.clear(group.kernel)
        pressure.signal(event)
        heard.add(event)
      } open: {
        defer { opened.signal() }
        return LinuxPressureSources(stalls: [], events: [(group.kernel, text)])
      }
      opened.wait()
      // The kernel changes the file in place.
      func happen(_ text: String) throws {
        let file = open(path, O_WRONLY | O_TRUNC)
        _ = text.withCString { Glibc.write(file, $0, strlen($0)) }
        close(file)
        #expect(group.signal())
      }
      try happen("low 0\nhigh 3\nmax 0\noom 0\noom_kill 0\n")
      #expect(heard.next() == .warning)
      #expect(cache.totalCost == 500)
      try happen("low 0\nhigh 3\nmax 1\noom 0\noom_kill 0\n")
      #expect(heard.next() == .critical)
      #expect(cache.count == 0)
      close(ends[1])
      #expect(Self.isClosed(group.test))
    }

    @Test("the files of the kernel are found, and triggers are written to them")
    func files() throws {
      let root = FileManager.default.temporaryDirectory.path + "/ozu-pressure-\(UUID())"
      defer { try? FileManager.default.removeItem(atPath: root) }
      let stalls = [root + "/proc/pressure/memory", root + "/sys/fs/cgroup/shop/till/memory.pressure"]
      for path in stalls + [root + "/proc/self/cgroup", root + "/sys/fs/cgroup/shop/till/memory.events"] {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let text = path.hasSuffix("cgroup") ? "1:name=systemd:/x\n0::/shop/till\n" : ""
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
      }
      let sources = LinuxPressureSources(root: root)
      #expect(sources.stalls.map(\.pressure) == [.warning, .critical, .warning, .critical])
      #expect(sources.events.count == 1)
      for path in stalls {
        let trigger = try String(contentsOfFile: path, encoding: .utf8)
        // The second trigger has overwritten the first: here both are one file, in the kernel they are not.
        #expect(trigger == "full 150000 2000000\0")
      }
    }
  }
#endif
