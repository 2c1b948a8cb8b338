import OzuBase
import OzuImaging

/// Whether untrusted files are decoded in processes of their own, and how those are started.
///
/// ```swift
/// let pipeline = ImagePipeline { $0.decoding.isolation = .preferred }
/// ```
///
/// A decoder that crashes, hangs or takes too much memory then costs only one picture, and a decoder that a hostile
/// file has taken over is in a process without files, network and other processes. `preferred` isolates the formats of
/// C libraries, `required` every format. Isolation exists on Linux only. A picture takes tens of microseconds longer,
/// plus the time for copies of its file and its pixels.
public struct DecoderIsolation: Sendable {
  /// Whether isolation is used, and whether it is required.
  public enum Mode: String, Hashable, Sendable, CaseIterable {
    /// Decoders run in the process of the app.
    case off
    /// The decoders of `types` run in processes of their own if that is possible. If not, `onDegradation` is called
    /// once, and files are decoded in the process of the app; drawings (SVG) cannot be read then. JPEG, PNG, GIF, BMP,
    /// ICO and the other formats that are not among `libraryTypes` are decoded in the process of the app.
    case preferred
    /// All decoders of Ozu run in processes of their own, with all restrictions in force: those written in Swift too,
    /// whatever `types` says. If that is not possible, no file can be read: `ImageError.decoderFailed` says what is
    /// missing. Previews of downloads are not made.
    case required
  }

  /// The program that is started for the processes that decode.
  public enum Helper: Hashable, Sendable {
    /// `ozu-decode`, in the folder of the app's program or in `../libexec` relative to it.
    case beside
    /// A program by its path.
    case program(String)
    /// The app's own program. Its `main` must begin with `DecoderIsolation.runIfHelper()`.
    case thisProgram
  }

  /// Whether isolation is used, and whether it is required. `off` by default.
  public var mode: Mode
  /// The formats that `preferred` isolates; `libraryTypes` by default. SVG can only be read if it is among them.
  /// `required` isolates all formats.
  public var types: Set<ImageType>
  /// The program that is started. `beside` by default.
  public var helper: Helper
  /// The longest wall time of one answer; then its process is ended. A minute by default. A picture is one answer, or
  /// a few if it takes much memory; each frame of an animation is one more. The limit on processor time is
  /// `DecodingLimits.cpuTime`.
  public var deadline: Duration
  /// The most processes that decode at the same time. One for each processor by default. There are fewer where the app may
  /// have few descriptors open, since each takes five.
  public var processLimit: Int
  /// Pipelines with equal settings share their processes, but only if this text is equal too. For a server whose
  /// customers must also be isolated from each other. Empty by default.
  public var domain: String
  /// Folders with font files of the app, by their absolute paths: processes that draw may read what is in them, for labels whose
  /// font is a file. They may read the usual folders of fonts in any case. Empty by default.
  public var fontFolders: [String] = []
  /// The number of requests that a process answers before another replaces it: 200.
  package var pictureLimit = 200
  /// Called once with the reason if `preferred` isolation is not possible, on a thread that decodes. Writes a line
  /// to standard error by default.
  public var onDegradation: @Sendable (String) -> Void

  /// Makes settings; an argument that is left out has its default.
  public init(
    _ mode: Mode, types: Set<ImageType> = libraryTypes, helper: Helper = .beside,
    deadline: Duration = .seconds(60), processLimit: Int = defaultProcessLimit, domain: String = ""
  ) {
    self.mode = mode
    self.types = types
    self.helper = helper
    self.deadline = deadline
    self.processLimit = processLimit
    self.domain = domain
    onDegradation = { reason in
      StandardError.put("ozu: pictures are decoded without isolation: \(reason)\n")
    }
  }

  /// No isolation.
  public static let off = DecoderIsolation(.off)
  /// Isolation, if it is possible.
  public static let preferred = DecoderIsolation(.preferred)
  /// Isolation of every format, or no picture.
  public static let required = DecoderIsolation(.required)

  /// The formats that C libraries decode completely or in large parts: WebP, AVIF, HEIC, JPEG XL, TIFF and SVG.
  public static let libraryTypes = Set(ImageFormat.read.filter { $0.decoding != .own }.map(\.type))

  /// One process for each processor.
  public static var defaultProcessLimit: Int { max(1, ProcessInfo.processInfo.activeProcessorCount) }
}

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
    /// Why there are no workers.
    static let absence = "there is no program ozu-decode beside the app's"

    /// The workers; `nil` if there is no program to start.
    func makePool() -> (any WorkerAsking)? { poolOptions().map(WorkerPool.init) }

    func poolOptions() -> WorkerPool.Options? {
      guard let program = helper.program else { return nil }
      var options = WorkerPool.Options(
        helper: program,
        workerLimit: Self.workerLimit(processLimit, descriptorLimit: sysconf(Int32(_SC_OPEN_MAX))),
        confinement: mode == .required ? .required : .bestPossible)
      options.requestLimit = pictureLimit
      options.fontFolders = fontFolders
      return options
    }

    /// The number of workers that leave some descriptors to the app: a load that starts a worker without a descriptor fails.
    ///
    /// - Parameter descriptorLimit: the most descriptors that the app may have open; negative for no limit.
    static func workerLimit(_ processLimit: Int, descriptorLimit: Int) -> Int {
      let room = descriptorLimit < 0 ? .max : (descriptorLimit - 20) / WorkerProcess.descriptorCount
      return max(1, min(processLimit, room))
    }
  }

  extension DecoderIsolation.Helper {
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
#else
  extension DecoderIsolation {
    static let absence = "isolation exists only on Linux"

    func makePool() -> (any WorkerAsking)? { nil }
  }
#endif
