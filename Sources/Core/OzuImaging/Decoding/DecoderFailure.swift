/// Why a decoder in a process of its own gave no answer.
public enum DecoderFailure: Error, Hashable, Sendable {
  /// The limit that a decoder reached.
  public enum Limit: Hashable, Sendable {
    /// Time by the clock.
    case time(Duration)
    /// Processor time.
    case cpuTime(Duration)
    /// Memory, in bytes.
    case memory(byteCount: Int)
  }

  /// A signal ended it. The kernel sends SIGSYS for a system call that decoders may not make.
  case crashed(signal: Int32)
  /// It ended without an answer, with this status.
  case ended(status: Int32)
  /// It reached a limit and was stopped.
  case stopped(Limit)
  /// Its answer breaks the protocol; the text says how.
  case wrongAnswer(String)
  /// It cannot be started, or not be confined as required; the text names what is missing. The file is not the
  /// reason.
  case unavailable(String)
  /// Anything else.
  case other(String)
}

extension DecoderFailure: CustomStringConvertible {
  /// The failure, as the end of a sentence that begins with the decoder's name: "crashed by SIGSEGV".
  public var description: String {
    switch self {
    case .crashed(Self.forbiddenCall): "made a forbidden system call (SIGSYS)"
    case .crashed(let signal): "crashed by \(Self.name(ofSignal: signal))"
    case .ended(let status): "ended without an answer (status \(status))"
    case .stopped(.time(let limit)): "took longer than \(Self.seconds(limit)) s"
    case .stopped(.cpuTime(let limit)): "took longer than \(Self.seconds(limit)) s of processor time"
    case .stopped(.memory(let byteCount)): "needed more than \(byteCount >> 20) MB"
    case .wrongAnswer(let reason): "gave a wrong answer: \(reason)"
    case .unavailable(let reason): "is not available: \(reason)"
    case .other(let reason): reason
    }
  }

  /// SIGSYS on Linux, on x86 and ARM. Apple platforms, where it is 12, do not have such processes.
  private static let forbiddenCall: Int32 = 31

  /// The names on Linux; the numbers are those of x86 and ARM.
  private static let signalNames: [Int32: String] = [
    1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE",
    9: "SIGKILL", 10: "SIGUSR1", 11: "SIGSEGV", 12: "SIGUSR2", 13: "SIGPIPE", 14: "SIGALRM", 15: "SIGTERM",
    24: "SIGXCPU", 25: "SIGXFSZ", 31: "SIGSYS",
  ]

  private static func name(ofSignal signal: Int32) -> String {
    signalNames[signal] ?? "signal \(signal)"
  }

  /// Seconds without unnecessary digits: 5, 0.25.
  private static func seconds(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    let milliseconds = attoseconds / 1_000_000_000_000_000
    guard milliseconds != 0 else { return "\(seconds)" }
    return "\(Double(seconds) + Double(milliseconds) / 1000)"
  }
}
