#if os(Linux)
  import Foundation
  import OzuIsolation

  /// A process that is killed while its workers work, wait, hang and spin.
  enum Orphans {
    static func run(marker: String) -> Never {
      let kind = WorkerKind(name: "drill", type: .svg)
      var options = WorkerPool.Options(helper: .thisProgram(arguments: [marker]), workerLimit: 4)
      options.idleTime = .seconds(600)
      let pool = WorkerPool(options)
      @Sendable func ask(_ name: String) {
        let request = WorkerRequest(
          kind: kind, message: Data(name.utf8), body: Data(), bodyNumber: 0, memoryByteCount: 1 << 28,
          cpuTime: .seconds(600), deadline: .seconds(600))
        _ = try? pool.perform(request, checkpoint: {}, read: { _, _ in })
      }
      for name in ["hang", "spin", "good-bye"] { Thread.detachNewThread { ask(name) } }
      while pool.status.startedWorkerCount < 3 { usleep(1000) }
      ask("nothing")
      print("ready")
      fflush(nil)
      while true { sleep(1) }
    }
  }
#endif
