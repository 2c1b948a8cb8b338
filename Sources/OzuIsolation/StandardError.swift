#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The standard error of the process, without what `Foundation` would bring along.
package enum StandardError {
  /// Writes a text, or as much of it as is taken.
  package static func write(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      // The bytes are there during the call, and the count is theirs.
      _ = posixWrite(STDERR_FILENO, bytes.baseAddress, bytes.count)
    }
  }
}

/// `write` of the system, whose name the type above has too.
private func posixWrite(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(file, bytes, count)
}
