#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Data {
  /// `withUnsafeBytes` that keeps the type of the error. The bytes are valid during the call only.
  package func withBytes<Success, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Success
  ) throws(Failure) -> Success {
    try withUnsafeBytes { bytes in
      Result { () throws(Failure) -> Success in try body(bytes) }
    }.get()
  }
}
