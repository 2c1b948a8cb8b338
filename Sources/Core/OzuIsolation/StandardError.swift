import OzuBase

/// The standard error stream, without Foundation.
package enum StandardError {
  /// Writes a text, or the part of it that the stream accepts.
  package static func put(_ text: String) {
    var text = text
    // The bytes are valid during the call, and the count is theirs.
    text.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
