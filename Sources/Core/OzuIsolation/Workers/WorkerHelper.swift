/// The program that becomes the zygote and its workers. Its `main` begins with `WorkerMain.runIfHelper`.
package enum WorkerHelper: Hashable, Sendable {
  /// A program by its path, and the arguments before the one that makes it a helper.
  case program(String, arguments: [String] = [])
  /// The running program, also after its file was replaced.
  case thisProgram(arguments: [String] = [])
}

#if os(Linux) && canImport(CIsolation)
  import CIsolation
  import OzuBase

  extension WorkerHelper {
    /// The last argument of a program that runs as a helper.
    package static let argument = "--ozu-isolation-helper"

    var path: String {
      switch self {
      case .program(let path, _): path
      case .thisProgram: "/proc/self/exe"
      }
    }

    /// The name of the program in messages.
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

    /// The variables that fonts, languages and the libraries of the program depend on, and no others. The
    /// crash reporter of Swift is off: it would only delay the end of a worker that crashes.
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
    /// - Parameter fontFolders: folders whose files workers that read fonts may read; a name with a colon is left out.
    /// - Returns: the process, or the negative number of an error.
    func spawn(socket: Int32, fontFolders: [String]) -> Int32 {
      let folders = fontFolders.filter { !$0.contains(":") }.joined(separator: ":")
      return withStrings([path] + arguments + [Self.argument]) { arguments in
        withStrings(Self.environment + ["\(FontPaths.variable)=\(folders)"]) { environment in
          ozu_spawn(path, arguments, environment, socket)
        }
      }
    }
  }

  /// Calls a closure with an array of C strings, which ends with a null pointer.
  private func withStrings(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Int32
  ) -> Int32 {
    var pointers: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) }
    defer { pointers.forEach { free($0) } }
    pointers.append(nil)
    return body(pointers)
  }

  /// The first line of the `main` of a helper.
  package enum WorkerMain {
    /// Does the work of the zygote and its workers, and does not return, if the arguments of the program ask for it.
    /// Otherwise it does nothing.
    ///
    /// Must come before anything that starts a thread.
    ///
    /// - Parameter handler: makes the handler. Its argument says whether it runs on a deep stack, on which
    ///   libraries can recurse without a thread of their own: at least 16 MB.
    package static func runIfHelper(
      _ arguments: [String], handler: @escaping (_ hasDeepStack: Bool) -> some WorkerHandling
    ) {
      guard arguments.last == WorkerHelper.argument, ozu_is_datagram_socket(OZU_WORKER_SOCKET) else { return }
      let work = Work {
        var zygote = Zygote(handler($0))
        zygote.run()
      }
      // Retained until the call returns, which never happens.
      let context = Unmanaged.passRetained(work).toOpaque()
      ozu_call_on_deep_stack(
        { context, isDeep in
          if let context { Unmanaged<Work>.fromOpaque(context).takeUnretainedValue().body(isDeep) }
        }, context)
    }

    /// A closure in a form that C can hold.
    private final class Work {
      let body: (Bool) -> Void
      init(_ body: @escaping (Bool) -> Void) { self.body = body }
    }
  }
#endif
