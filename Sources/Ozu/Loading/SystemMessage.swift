#if canImport(Glibc)
  import Glibc
#else
  import Foundation
#endif

/// The system's words for one of its error numbers.
func systemMessage(_ code: Int32) -> String {
  String(cString: strerror(code))
}
