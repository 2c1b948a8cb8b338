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
    case .notStarted(let code): .decoderFailed(.svg, .unavailable(Self.systemMessage(code)))
    case .crashed(let signal): .decoderFailed(.svg, .crashed(signal: signal))
    case .cpuTime(let seconds): .decoderFailed(.svg, .stopped(.cpuTime(.seconds(seconds))))
    case .memory(let byteCount): .decoderFailed(.svg, .stopped(.memory(byteCount: byteCount)))
    case .deadline(let duration): .decoderFailed(.svg, .stopped(.time(duration)))
    case .flood: .decoderFailed(.svg, .other("wrote messages without an end"))
    case .noAnswer(let status?): .decoderFailed(.svg, .ended(status: status))
    case .noAnswer(nil): .decoderFailed(.svg, .other("ended without an answer"))
    case .wrongAnswer: .decoderFailed(.svg, .wrongAnswer("not one to the question"))
    }
  }

  private static func systemMessage(_ code: Int32) -> String {
    strerror(code).map { String(cString: $0) } ?? "error \(code)"
  }
}
