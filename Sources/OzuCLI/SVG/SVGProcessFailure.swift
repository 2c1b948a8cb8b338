import Foundation
import Ozu

/// Why a process that was to draw has no answer.
enum SVGProcessFailure: Error, Equatable {
  /// It could not be started; the system's error number.
  case notStarted(code: Int32)
  /// A signal ended it.
  case crashed(signal: Int32)
  case cpuTime(seconds: Int)
  case memory(byteCount: Int)
  case deadline(Duration)
  /// It wrote more messages than anybody would read.
  case flood
  /// It ended without an answer, with this status.
  case noAnswer(status: Int32?)
  /// Its answer is not one to the question.
  case wrongAnswer
  /// It says that the document cannot be drawn.
  case refused(String)
  /// It says what this system lacks, such as a library.
  case unsupported(String)
  case decoding(DecodingError)

  /// The error for those who asked.
  ///
  /// - Parameter stage: what was being done.
  func error(stage: String) -> DecodingError {
    switch self {
    case .decoding(let error): error
    case .refused(let reason): .corrupt(.svg, stage: stage, reason: reason)
    case .unsupported(let reason): .unsupportedType(.svg, reason: reason)
    default: .decoderFailed(.svg, reason: "the SVG renderer \(predicate)")
    }
  }

  private var predicate: String {
    switch self {
    case .notStarted(let code): "could not be started: \(Self.systemMessage(code))"
    case .crashed(let signal): "crashed (signal \(signal))"
    case .cpuTime(let seconds): "took longer than \(seconds) s of processor time"
    case .memory(let byteCount): "needed more than \(byteCount >> 20) MB"
    case .deadline(let duration): "took longer than \(duration.components.seconds) s"
    case .flood: "wrote messages without an end"
    case .noAnswer(let status): "ended without an answer" + (status.map { " (status \($0))" } ?? "")
    case .wrongAnswer: "gave a wrong answer"
    case .refused(let reason), .unsupported(let reason): reason
    case .decoding(let error): error.description
    }
  }

  private static func systemMessage(_ code: Int32) -> String {
    strerror(code).map { String(cString: $0) } ?? "error \(code)"
  }
}
