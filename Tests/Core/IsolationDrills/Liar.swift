#if os(Linux)
  import CIsolation
  import Foundation
  import Glibc
  import OzuIsolation

  /// A helper that knows the protocol and breaks it, like a worker that was taken over completely. The message of a request
  /// names the lie.
  enum Liar {
    static func run() -> Never {
      // Workers that have ended need no reaping.
      signal(SIGCHLD, SIG_IGN)
      let buffer = UnsafeMutableRawBufferPointer.allocate(
        byteCount: WorkerHead.datagramByteCount, alignment: 16)
      while true {
        var descriptors = [Int32](repeating: -1, count: ZygoteRequest.descriptorCount)
        var count = 0
        guard
          ozu_receive(
            OZU_WORKER_SOCKET, buffer.baseAddress, buffer.count, &descriptors, descriptors.count, &count) > 0
        else { exit(0) }
        if ozu_fork() == 0 {
          close(OZU_WORKER_SOCKET)
          serve(descriptors[0], buffer)
          _exit(0)
        }
        descriptors.forEach { close($0) }
      }
    }

    private static func serve(_ socket: Int32, _ buffer: UnsafeMutableRawBufferPointer) {
      // It also lies about its restrictions: it reports that none is missing.
      let process = withUnsafeBytes(of: getpid()) { Array($0) }
      let others = MemoryLayout<WorkerConfinement.Report>.size - process.count
      send(WorkerHead(.ready), socket, [UInt8](repeating: 0, count: others) + process)
      /// The token of a request whose answer is repeated for all later ones.
      var repeated: UInt64?
      while true {
        let count = ozu_receive_bytes(socket, buffer.baseAddress, buffer.count, true)
        guard count > 0,
          let question = WorkerHead(UnsafeRawBufferPointer(rebasing: buffer.prefix(Int(count))))
        else { return }
        let name = String(decoding: buffer[WorkerHead.byteCount..<Int(count)], as: UTF8.self)
        if let repeated {
          send(WorkerHead(.answer, token: repeated), socket)
          continue
        }
        if name == "repeat" { repeated = question.token }
        lie(name, question, socket)
      }
    }

    private static func lie(_ name: String, _ question: WorkerHead, _ socket: Int32) {
      var head = WorkerHead(.answer, token: question.token)
      switch name {
      case "good", "repeat": send(head, socket)
      case "beyond":
        head.outputByteCount = question.outputByteCount + 1
        send(head, socket)
      case "far beyond":
        head.outputByteCount = .max
        send(head, socket)
      case "other token":
        head.token &+= 1
        send(head, socket)
      case "other kind": send(WorkerHead(.ready, token: question.token), socket)
      case "restless":
        send(head, socket, Array("\(getpid())".utf8))
        let end = clock() + CLOCKS_PER_SEC / 2
        while clock() < end {}
      case "copied":
        // Another process keeps the socket until the other end is closed.
        if ozu_fork() == 0 {
          var source = pollfd(fd: socket, events: 0, revents: 0)
          _ = poll(&source, 1, -1)
          _exit(0)
        }
        send(head, socket, Array("\(getpid())".utf8))
      case "twice":
        send(head, socket)
        send(head, socket)
      case "long": send(head, socket, [UInt8](repeating: 0, count: WorkerRequest.messageByteCount + 1))
      case "descriptor":
        var number = STDIN_FILENO
        withUnsafeBytes(of: head) { _ = ozu_send(socket, $0.baseAddress, $0.count, nil, 0, &number, 1) }
      case "more than there is":
        head = WorkerHead(.more, token: question.token)
        head.outputByteCount = .max
        send(head, socket)
      case "more than the system has":
        head = WorkerHead(.more, token: question.token)
        head.outputByteCount = 1 << 60
        send(head, socket)
      case "more of nothing":
        head = WorkerHead(.more, token: question.token)
        send(head, socket)
      default: break
      }
    }

    private static func send(_ head: WorkerHead, _ socket: Int32, _ message: [UInt8] = []) {
      withUnsafeBytes(of: head) {
        _ = ozu_send(socket, $0.baseAddress, $0.count, message, message.count, nil, 0)
      }
    }
  }
#endif
