#if os(Linux)
  import CIsolation
  import Foundation
  import Glibc
  import OzuIsolation

  /// The cost of a request for the asking process, compared with the same work in this process.
  enum Costs {
    private static let kind = WorkerKind(name: "drill", type: .svg)

    static func run() -> Never {
      // Before there are threads.
      let echo = startEcho()
      let pool = WorkerPool(.init(helper: .thisProgram(), workerLimit: 2))
      print(
        String(format: "first answer, zygote and all   %8.0f us", clock { ask(pool, "nothing", Data(), 0) }))
      let second = WorkerKind(name: "drill", type: .svg, startsThreads: true)
      print(
        String(
          format: "first answer of a second kind  %8.0f us",
          clock { ask(pool, "nothing", Data(), 0, kind: second) }))
      print("confinement: \(pool.status.confinement.map { "\($0)" } ?? "none")")
      print("body        wall    CPU asking   in process   bare echo   (us a question, medians of 9 rounds)")
      for byteCount in [0, 4 << 10, 64 << 10, 300 << 10, 4 << 20] { round(pool, byteCount, echo) }
      exit(0)
    }

    /// A process that sends back what it receives: the least cost of a request to another process.
    private static func startEcho() -> Int32 {
      var sockets: [Int32] = [-1, -1]
      guard ozu_socket_pair(&sockets) == 0 else { fatalError("no sockets") }
      guard ozu_fork() == 0 else {
        close(sockets[1])
        return sockets[0]
      }
      close(sockets[0])
      var bytes = [UInt8](repeating: 0, count: 72)
      while ozu_receive_bytes(sockets[1], &bytes, bytes.count, true) > 0 {
        _ = ozu_send(sockets[1], bytes, bytes.count, nil, 0, nil, 0)
      }
      _exit(0)
    }

    private static func round(_ pool: WorkerPool, _ byteCount: Int, _ echo: Int32) {
      let body = Data(repeating: 7, count: byteCount)
      let count = byteCount > 1 << 20 ? 200 : 3000
      var number: UInt64 = 1
      var walls: [Double] = []
      var costs: [Double] = []
      var inside: [Double] = []
      var echoes: [Double] = []
      var message = [UInt8](repeating: 0, count: 72)
      var target = [UInt8](repeating: 0, count: byteCount)
      for _ in 0..<9 {
        let start = cpuTime()
        walls.append(
          clock {
            for _ in 0..<count {
              number += 1
              ask(pool, "copy", body, number)
            }
          } / Double(count))
        costs.append((cpuTime() - start) / Double(count))
        let startEcho = cpuTime()
        for _ in 0..<count {
          _ = ozu_send(echo, message, message.count, nil, 0, nil, 0)
          _ = ozu_receive_bytes(echo, &message, message.count, true)
        }
        echoes.append((cpuTime() - startEcho) / Double(count))
        let startInside = cpuTime()
        for _ in 0..<count {
          body.withUnsafeBytes { body in target.withUnsafeMutableBytes { $0.copyMemory(from: body) } }
        }
        inside.append((cpuTime() - startInside) / Double(count))
      }
      print(
        String(
          format: "%7d %8.1f %12.1f %12.1f %11.1f", byteCount, median(walls), median(costs), median(inside),
          median(echoes)))
    }

    private static func ask(
      _ pool: WorkerPool, _ name: String, _ body: Data, _ number: UInt64, kind: WorkerKind = kind
    ) {
      let request = WorkerRequest(
        kind: kind, message: Data(name.utf8), body: body, bodyNumber: number, memoryByteCount: 1 << 28,
        cpuTime: .seconds(5), deadline: .seconds(5))
      do { try pool.perform(request, checkpoint: {}, read: { _, _ in }) } catch { fatalError("\(error)") }
    }

    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    private static func clock(_ body: () -> Void) -> Double {
      ContinuousClock().measure(body) / .microseconds(1)
    }

    /// The time of this process, user and system, in microseconds.
    private static func cpuTime() -> Double {
      var usage = rusage()
      getrusage(Int32(RUSAGE_SELF.rawValue), &usage)
      return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6
        + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)
    }
  }
#endif
