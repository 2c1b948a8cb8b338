import Foundation
import OzuBase

/// The reason why a file was not written: one line with its name.
struct OutputError: Error, CustomStringConvertible {
  let description: String

  init(_ path: String, reason: String) {
    description = "\(Self.name(path)) cannot be written: \(reason)"
  }

  /// A reason alone, for a message that names the file.
  init(reason: String) { description = reason }

  /// - Parameters:
  ///   - code: the error of the system, as in `errno`.
  ///   - byteCount: the size of the file, for the message about a full disk.
  init(_ path: String, code: Int32, writing byteCount: Int) {
    let place = "\(Self.name(path)) (needs \(Format.bytes(byteCount)))"
    description =
      switch code {
      case ENOSPC: "no space left on \(place)"
      case EDQUOT: "no disk quota left on \(place)"
      default: OutputError(path, reason: systemMessage(code)).description
      }
  }

  private static func name(_ path: String) -> String {
    path == OutputFile.standardOutput ? "standard output" : path
  }
}
