#if canImport(os)
  import os

  /// Writes requests and stages as signposts of Apple's systems: Instruments draws them beside processor time and memory.
  ///
  /// ```swift
  /// let pipeline = ImagePipeline { $0.observers = [SignpostObserver(subsystem: "com.example.app")] }
  /// ```
  ///
  /// Each request is an interval named "request", each stage an interval with the name of the stage (`ImageStage`); hits and
  /// misses of the caches are events. Addresses are private data, as in `SystemLog`. The system drops signposts while no
  /// tool reads them, and `TraceRecorder` writes the same to a file.
  public struct SignpostObserver: ImagePipelineObserving {
    private let signposter: OSSignposter

    /// Makes an observer.
    ///
    /// - Parameters:
    ///   - subsystem: usually the identifier of the app's bundle.
    ///   - category: the name of the row in Instruments.
    public init(subsystem: String, category: String = "images") {
      signposter = OSSignposter(subsystem: subsystem, category: category)
    }

    /// Begins the interval of a request.
    public func requestBegan(_ request: ObservedRequest) {
      guard signposter.isEnabled else { return }
      let source = request.request.source.name
      _ = signposter.beginInterval("request", id: Self.id(request.id), "\(source, privacy: .private)")
    }

    /// Ends the interval of a request.
    public func requestEnded(_ request: ObservedRequest, _ outcome: RequestOutcome, after time: Duration) {
      guard signposter.isEnabled else { return }
      let text = Self.text(outcome)
      signposter.endInterval("request", Self.state(request.id), "\(text, privacy: .public)")
    }

    /// Begins the interval of a stage.
    public func stageBegan(_ stage: ObservedStage) {
      guard signposter.isEnabled else { return }
      _ = signposter.beginInterval(
        stage.stage.signpostName, id: Self.id(stage.id), "\(stage.source, privacy: .private)")
    }

    /// Ends the interval of a stage.
    public func stageEnded(_ stage: ObservedStage, after time: Duration, byteCount: Int) {
      guard signposter.isEnabled else { return }
      signposter.endInterval(stage.stage.signpostName, Self.state(stage.id), "\(byteCount) bytes")
    }

    /// Emits the event "hit".
    public func cacheHit(_ entry: ObservedEntry) {
      guard signposter.isEnabled else { return }
      signposter.emitEvent("hit", "\(entry.layer.rawValue, privacy: .public)")
    }

    /// Emits the event "miss".
    public func cacheMissed(_ entry: ObservedEntry) {
      guard signposter.isEnabled else { return }
      signposter.emitEvent("miss", "\(entry.layer.rawValue, privacy: .public)")
    }

    /// The numbers of requests and stages are unique in the process; 0 is not a valid identifier.
    private static func id(_ number: Int) -> OSSignpostID { OSSignpostID(UInt64(number) + 1) }

    /// The state by which an interval ends that began in another call.
    private static func state(_ number: Int) -> OSSignpostIntervalState { .beginState(id: id(number)) }

    private static func text(_ outcome: RequestOutcome) -> String {
      switch outcome {
      case .picture(let response): "from \(response.source.rawValue)"
      case .data(let byteCount): "\(byteCount) bytes"
      case .failure(let error): error.kind.name
      case .cancelled: "cancelled"
      }
    }
  }

  extension ImageStage {
    /// The name of its intervals: a literal, because the system keeps the address of the text.
    fileprivate var signpostName: StaticString {
      switch self {
      case .read: "read"
      case .network: "network"
      case .wait: "wait"
      case .decode: "decode"
      case .resize: "resize"
      case .process: "process"
      case .encode: "encode"
      case .store: "store"
      case .total: "total"
      }
    }
  }
#endif
