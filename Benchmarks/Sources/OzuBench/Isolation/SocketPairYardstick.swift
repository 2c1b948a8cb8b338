#if os(Linux)
  import Foundation

  /// The time for a question of 128 bytes to another process and an answer of the same length: the least cost of a round
  /// trip of isolation. The other process is `cat`, whose input and output are a socket of the kind that workers
  /// have.
  enum SocketPairYardstick {
    private static let repetitions = 20_000

    static func rows(_ rounds: Int) -> [BenchReport.Row] {
      guard let (socket, process) = start() else { return [] }
      defer {
        close(socket)
        var status: Int32 = 0
        waitpid(process, &status, 0)
      }
      var message = [UInt8](repeating: 0, count: 128)
      var samples: [Double] = []
      for round in 0...rounds {
        let start = ProcessTreeTime.now()
        for _ in 0..<repetitions {
          guard send(socket, message, message.count, 0) == message.count,
            recv(socket, &message, message.count, 0) == message.count
          else { return [] }
        }
        let time = ProcessTreeTime.now().since(start)
        if round > 0 { samples.append((time.own + time.children) / Double(repetitions)) }
      }
      return [
        BenchReport.Row(
          name: "a question and an answer of 128 bytes, and nothing else", subject: "yardstick:socketpair",
          metric: "cpu_us", samples: samples, digits: 1)
      ]
    }

    private static func start() -> (socket: Int32, process: pid_t)? {
      var sockets: [Int32] = [-1, -1]
      let kind = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue)
      guard socketpair(AF_UNIX, kind, 0, &sockets) == 0 else { return nil }
      defer { close(sockets[1]) }
      var actions = posix_spawn_file_actions_t()
      posix_spawn_file_actions_init(&actions)
      defer { posix_spawn_file_actions_destroy(&actions) }
      posix_spawn_file_actions_adddup2(&actions, sockets[1], STDIN_FILENO)
      posix_spawn_file_actions_adddup2(&actions, sockets[1], STDOUT_FILENO)
      var process: pid_t = 0
      var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("cat"), nil]
      defer { free(arguments[0]) }
      guard posix_spawn(&process, "/bin/cat", &actions, nil, &arguments, environ) == 0 else {
        close(sockets[0])
        return nil
      }
      return (sockets[0], process)
    }
  }
#endif
