import Foundation

/// Why a file of the user's was not written: one line, which begins with its name.
struct OutputError: Error, CustomStringConvertible {
  let path: String
  let reason: String

  init(_ path: String, reason: String) {
    self.path = path
    self.reason = reason
  }

  /// - Parameter code: of the system, as in `errno`.
  init(_ path: String, code: Int32) {
    self.init(path, reason: String(cString: strerror(code)))
  }

  var description: String { "\(path) cannot be written: \(reason)" }
}
