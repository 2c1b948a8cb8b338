import OzuImaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Whether files of strangers are decoded in processes of their own, and how those are started.
///
/// ```swift
/// let pipeline = ImagePipeline { $0.decoding.isolation = .preferred }
/// ```
///
/// A decoder that crashes, hangs or swells costs one picture then, and one that the file has taken over finds itself
/// in a process without files, network and other processes. It is for the formats of C libraries, on Linux; elsewhere it
/// cannot be had. A picture takes some 20 microseconds more, and the copies of its file and its pixels.
public struct DecoderIsolation: Sendable {
  /// How much isolation matters.
  public enum Mode: String, Hashable, Sendable, CaseIterable {
    /// Decoders run in the process of the app.
    case off
    /// They run in processes of their own where that can be had. Where it cannot, `onDegradation` is told once, and files
    /// are decoded in the process of the app; drawings (SVG) are not read then.
    case preferred
    /// They run in processes of their own, all of whose locks hold, or files of the formats are not read:
    /// `ImageError.decoderFailed` says what is missing.
    case required
  }

  /// The program that becomes the processes which decode.
  public enum Helper: Hashable, Sendable {
    /// `ozu-decode`, in the folder of the app's program or in `../libexec` of that.
    case beside
    /// A program by its path.
    case program(String)
    /// The app's own program, whose `main` begins with `DecoderIsolation.runIfHelper()`.
    case thisProgram
  }

  /// How much isolation matters. `off` by default.
  public var mode: Mode
  /// The formats that are decoded in isolation: those of `libraryTypes` by default. SVG is read where it is among them.
  public var types: Set<ImageType>
  /// The program that is started. `beside` by default.
  public var helper: Helper
  /// How long a picture may take by the clock, before its process is ended. A minute by default. The limit on processor
  /// time is `DecodingLimits.cpuTime`.
  public var deadline: Duration
  /// The most processes that decode at a time. One for each processor by default.
  public var processLimit: Int
  /// Pipelines with equal settings share their processes, unless the texts here are different: for a server whose
  /// customers are to be kept apart from each other, too. Empty by default.
  public var domain: String
  /// How many questions a process answers before another takes its place: 200.
  package var pictureLimit = 200
  /// Told once why `preferred` isolation cannot be had, from a thread that decodes. Writes a line on standard error by
  /// default.
  public var onDegradation: @Sendable (String) -> Void

  /// Makes settings; what is not given has its default.
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
      StandardError.write("ozu: pictures are decoded without isolation: \(reason)\n")
    }
  }

  /// No isolation.
  public static let off = DecoderIsolation(.off)
  /// Isolation where it can be had.
  public static let preferred = DecoderIsolation(.preferred)
  /// Isolation, or no picture.
  public static let required = DecoderIsolation(.required)

  /// The formats that C libraries decode alone, or with large parts: WebP, AVIF, HEIC, JPEG XL, TIFF and SVG.
  public static let libraryTypes: Set<ImageType> = [.webp, .avif, .heic, .jxl, .tiff, .svg]

  /// One process for each processor.
  public static var defaultProcessLimit: Int { max(1, ProcessInfo.processInfo.activeProcessorCount) }
}
