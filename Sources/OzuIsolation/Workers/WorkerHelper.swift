/// The program that becomes the zygote and its workers. Its `main` begins with `WorkerMain.runIfHelper`.
package enum WorkerHelper: Hashable, Sendable {
  /// A program by its path, and what goes before the argument that makes it a helper.
  case program(String, arguments: [String] = [])
  /// The program that runs, also after its file was replaced.
  case thisProgram(arguments: [String] = [])
}

#if os(Linux) && canImport(CIsolation)
  import CIsolation
  import Glibc

  extension WorkerHelper {
    /// The last argument of a program that is to be a helper.
    package static let argument = "--ozu-isolation-helper"

    var path: String {
      switch self {
      case .program(let path, _): path
      case .thisProgram: "/proc/self/exe"
      }
    }

    /// What the path stands for, in messages.
    var name: String {
      switch self {
      case .program(let path, _): path
      case .thisProgram: "this program"
      }
    }

    private var arguments: [String] {
      switch self {
      case .program(_, let arguments), .thisProgram(let arguments): arguments
      }
    }

    /// What fonts, languages and the libraries of the program depend on, and nothing else. A crash reporter would only hold
    /// up the end.
    static var environment: [String] {
      let names = [
        "HOME", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_MESSAGES", "LD_LIBRARY_PATH", "FONTCONFIG_FILE",
        "FONTCONFIG_PATH", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_DIRS", "XDG_DATA_HOME",
        "ASAN_OPTIONS", "TSAN_OPTIONS",
      ]
      return names.compactMap { name in getenv(name).map { "\(name)=\(String(cString: $0))" } }
        + ["SWIFT_BACKTRACE=enable=no"]
    }

    /// Starts the program.
    ///
    /// - Returns: the process, or the negative number of an error.
    func spawn(socket: Int32) -> Int32 {
      withStrings([path] + arguments + [Self.argument]) { arguments in
        withStrings(Self.environment) { environment in
          ozu_spawn(path, arguments, environment, socket)
        }
      }
    }
  }

  /// Runs a closure with an array of strings for C, ended by a null pointer.
  private func withStrings(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Int32
  ) -> Int32 {
    var pointers: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) }
    defer { pointers.forEach { free($0) } }
    pointers.append(nil)
    return body(pointers)
  }
#endif
