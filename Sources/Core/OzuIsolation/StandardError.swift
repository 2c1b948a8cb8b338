import OzuBase

/// The standard error stream, without Foundation.
package enum StandardError {
  /// Writes a text, or the part of it that the stream accepts.
  package static func write(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      // The bytes are valid during the call, and the count is theirs.
      _ = posixWrite(STDERR_FILENO, bytes.baseAddress, bytes.count)
    }
  }
}

/// The system's `write`, under another name because the type above has a function of the same name.
private func posixWrite(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(file, bytes, count)
}
