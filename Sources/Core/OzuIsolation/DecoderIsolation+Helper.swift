import OzuImaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension DecoderIsolation {
  /// If this process was started as a helper, it decodes for another process and does not return; otherwise it
  /// returns at once.
  ///
  /// - Parameter codecs: makes the codecs; its argument says whether they run on a deep stack.
  package static func runIfHelper(codecs: @escaping (_ hasDeepStack: Bool) -> CodecRegistry) {
    #if os(Linux) && canImport(CIsolation)
      WorkerMain.runIfHelper(CommandLine.arguments) { PictureWorker(codecs: codecs($0)) }
    #endif
  }
}

#if os(Linux) && canImport(CIsolation)
  extension DecoderIsolation {
    /// The options of the worker pool; `nil` if there is no program to start.
    func poolOptions() -> WorkerPool.Options? {
      guard let program = helper.program else { return nil }
      var options = WorkerPool.Options(
        helper: program, workerLimit: max(1, processLimit),
        confinement: mode == .required ? .required : .bestPossible)
      options.requestLimit = pictureLimit
      return options
    }
  }

  extension DecoderIsolation.Helper {
    /// The error message if there is no program.
    var absence: String { "there is no program ozu-decode beside the app's" }

    /// The program; `nil` if there is none beside the app's.
    fileprivate var program: WorkerHelper? {
      switch self {
      case .program(let path): return .program(path)
      case .thisProgram: return .thisProgram()
      case .beside:
        let own = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        let places = ["ozu-decode", "../libexec/ozu-decode", "../libexec/ozu/ozu-decode"]
        return places.map { own.appending(path: $0).standardized.path }
          .first { FileManager.default.isExecutableFile(atPath: $0) }.map { .program($0) }
      }
    }
  }
#endif
