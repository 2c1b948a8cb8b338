#if canImport(Glibc)
  import Glibc
#else
  import Foundation
#endif

/// The system's message for one of its error numbers.
package func systemMessage(_ code: Int32) -> String {
  strerror(code).map { String(cString: $0) } ?? "error \(code)"
}
