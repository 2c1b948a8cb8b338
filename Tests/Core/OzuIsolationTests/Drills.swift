#if os(Linux)
  import CIsolationDrills
  import Foundation
  import Glibc
  import OzuImaging
  import OzuTesting
  import Testing

  @testable import OzuIsolation

  /// The helper of the drills that was built with these tests, and requests to it.
  enum Drills {
    static let kind = WorkerKind(name: "drill", type: .svg)
    static let fontKind = WorkerKind(name: "drill.fonts", type: .svg, readsFonts: true)
    static let threadKind = WorkerKind(name: "drill.threads", type: .svg, startsThreads: true)

    /// Whether workers are restricted here. A sanitizer needs memory and system calls that a restricted worker does
    /// not have, so workers are not restricted in such builds; nor are they if the kernel or the container does not
    /// support it.
    static var isConfined: Bool {
      #if OZU_ASAN || OZU_TSAN
        false
      #else
        ozu_system_confines()
      #endif
    }

    static var program: String { get throws { try builtProgram("OzuIsolationDrills").path } }

    static func pool(
      _ arguments: [String] = [], workerLimit: Int = 1,
      _ change: (inout WorkerPool.Options) -> Void = { _ in }
    ) throws -> WorkerPool {
      var options = WorkerPool.Options(
        helper: .program(try program, arguments: arguments), workerLimit: workerLimit)
      change(&options)
      return WorkerPool(options)
    }

    static func request(
      _ name: String, _ body: Data = Data(), number: UInt64 = 0, kind: WorkerKind = kind,
      memoryByteCount: Int = 64 << 20, deadline: Duration = .seconds(60)
    ) -> WorkerRequest {
      WorkerRequest(
        kind: kind, message: Data(name.utf8), body: body, bodyNumber: number,
        memoryByteCount: memoryByteCount,
        cpuTime: .seconds(1), deadline: deadline)
    }

    /// Runs blocking work on a thread of its own, for tests that run on Swift's cooperative pool.
    static func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws
      -> Value
    {
      try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
      }
    }

    /// Runs blocking work on several threads, and waits for all.
    static func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) async throws {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<count { group.addTask { try await onThread { try body(index) } } }
        try await group.waitForAll()
      }
    }

    /// The processes whose command line contains this word, without this process.
    static func processes(with word: String) -> [pid_t] {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
      return names.compactMap { pid_t($0) }.filter { process in
        guard process != getpid(), let line = FileManager.default.contents(atPath: "/proc/\(process)/cmdline")
        else { return false }
        return String(decoding: line, as: UTF8.self).split(separator: "\0").contains { $0 == word }
      }
    }

    /// Kills processes and waits until their sockets are closed, which happens a moment after the memory is freed.
    static func end(_ processes: [pid_t]) -> Bool {
      for process in processes { kill(process, SIGKILL) }
      return eventually { processes.allSatisfy(hasEnded) }
    }

    private static func hasEnded(_ process: pid_t) -> Bool {
      guard let line = FileManager.default.contents(atPath: "/proc/\(process)/stat") else {
        // Not only where it has gone: also where this process has no descriptor left.
        return kill(process, 0) != 0
      }
      let fields =
        String(decoding: line, as: UTF8.self).split(separator: ")").last?.split(separator: " ") ?? []
      // The state of the process, and how many threads are left: sanitizers have their own.
      return fields.count > 17 && (fields[0] == "Z" || fields[0] == "X") && (Int(fields[17]) ?? 0) <= 1
    }

    /// Waits until a condition is true: there is no signal for the actions of other processes. Minutes, as a computer may be busy.
    static func eventually(_ condition: () -> Bool) -> Bool {
      for _ in 0..<40_000 {
        if condition() { return true }
        usleep(5000)
      }
      return false
    }
  }

  extension WorkerPool {
    /// Sends a request and copies the answer.
    func ask(
      _ request: WorkerRequest, checkpoint: () throws(ImageDecodingError) -> Void = {}
    ) throws(ImageDecodingError) -> (message: String, payload: Data) {
      try perform(request, checkpoint: checkpoint) { message, payload in
        (String(decoding: message, as: UTF8.self), Data(payload))
      }
    }
  }
#endif
