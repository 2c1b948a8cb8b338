import OzuBase

extension Data {
  /// Calls a closure with the bytes and keeps the type of its error. The bytes are valid only during the call.
  package func withBytes<Success, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Success
  ) throws(Failure) -> Success {
    try withUnsafeBytes { bytes in
      Result { () throws(Failure) -> Success in try body(bytes) }
    }.get()
  }
}
