#if os(Linux)
  import CIsolationDrills
  import Foundation
  import Glibc
  import OzuIsolation

  /// The work of the drills, good and bad. The message names it.
  package struct DrillHandler: WorkerHandling {
    /// How often each kind was prepared; tests ask for it.
    private var preparedCount = 0

    package init() {}

    package mutating func prepare(_ kind: WorkerKind) -> Bool {
      if kind.name == "drill.hangs" { while true { sleep(1) } }
      preparedCount += 1
      // The first attempt fails, the second finds everything.
      return kind.name != "drill.late" || preparedCount > 1
    }

    /// A kind whose name has a path waits, before it is restricted, until a file is there; another file says that it waits.
    package func readablePaths(_ kind: WorkerKind) -> [String] {
      if let start = kind.name.firstIndex(of: "/") {
        let gate = String(kind.name[start...])
        close(open(gate + ".waits", O_WRONLY | O_CREAT, 0o600))
        for _ in 0..<20_000 where access(gate, F_OK) != 0 { usleep(1000) }
      }
      return FontPaths.all
    }

    package mutating func answer(
      message: Data, body: UnsafeRawBufferPointer, bodyNumber: UInt64, output: WorkerOutput
    ) -> Data {
      let name = String(decoding: message, as: UTF8.self)
      switch name {
      case "reverse":
        // Copies the body backwards, in pieces that make the payload grow.
        guard var bytes = output.resize(to: min(body.count, 1000)) else { return Data("no memory".utf8) }
        if body.count > 1000 {
          guard let all = output.resize(to: body.count) else { return Data("no memory".utf8) }
          bytes = all
        }
        for index in 0..<body.count { bytes[index] = body[body.count - 1 - index] }
        return Data("reversed \(bodyNumber)".utf8)
      case "copy":
        guard let bytes = output.resize(to: body.count) else { return Data("no memory".utf8) }
        bytes.copyMemory(from: body)
        return Data()
      case "nothing": return Data()
      case "process": return Data("\(getpid())".utf8)
      case "prepared": return Data("\(preparedCount)".utf8)
      case "descriptors":
        let open = (0..<64).filter { fcntl($0, F_GETFD) >= 0 }
        return Data(open.map { "\($0)" }.joined(separator: " ").utf8)
      case "much": return Data("\(output.resize(to: 8 << 30)?.count ?? -1)".utf8)
      case "fill":
        // 80 MB, and every byte is written.
        guard let bytes = output.resize(to: 80 << 20) else { return Data("no memory".utf8) }
        bytes.initializeMemory(as: UInt8.self, repeating: 1)
        return Data("filled".utf8)
      case "forget":
        // The memory for the answer was unmapped.
        if let bytes = output.resize(to: 4096), let start = bytes.baseAddress {
          munmap(start, 4096)
          bytes[0] = 1
        }
        return Data()
      default:
        let code = ozu_misdeed(name)
        return Data(Self.outcome(code).utf8)
      }
    }

    static func outcome(_ code: Int32) -> String {
      switch code {
      case -1: "unknown"
      case 0: "done"
      case EPERM: "EPERM"
      case EACCES: "EACCES"
      case ENOENT: "ENOENT"
      case ENOMEM: "ENOMEM"
      case EFBIG: "EFBIG"
      case EAGAIN: "EAGAIN"
      default: "\(code)"
      }
    }
  }
#endif
