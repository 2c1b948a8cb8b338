import OzuBase
import OzuImaging

/// Sends the requests of all isolated decoders to the workers, and knows their limits and whether isolation is
/// possible.
///
/// One lock guards the state; no code of the app runs under it.
final class WorkerClient: Sendable {
  /// A file that is sent to a worker.
  struct Body: Sendable {
    let data: Data
    let type: ImageType
    /// The number of these bytes for workers: different for each file that is opened, so that no two files are
    /// confused.
    let number: UInt64

    private static let lastNumber = Atomic<UInt64>(0)

    init(_ data: Data, type: ImageType) {
      self.data = data
      self.type = type
      number = Self.lastNumber.add(1, ordering: .relaxed).newValue
    }
  }

  private struct State {
    var degradation: String?
    var hasReported = false
  }

  let settings: DecoderIsolation
  /// `nil` if there is no program to start, and on systems without isolation.
  let pool: (any WorkerAsking)?
  private let state = Mutex(State())

  convenience init(_ settings: DecoderIsolation) { self.init(settings, settings.makePool()) }

  init(_ settings: DecoderIsolation, _ pool: (any WorkerAsking)?) {
    self.settings = settings
    self.pool = pool
  }

  /// Why the last file was not isolated although it should have been; `nil` if it was.
  var degradation: String? { state.withLock { $0.degradation } }

  /// The reason why isolation is not possible, if the error says so and isolation is not required; `nil` for every
  /// other error.
  ///
  /// The first time, `onDegradation` is called. The next file tries again: the program may be there by then, and
  /// the pool remembers failures only for a while.
  func degradation(by error: ImageDecodingError) -> String? {
    guard settings.mode == .preferred, case .decoderFailed(_, .unavailable(let reason)) = error else {
      return nil
    }
    let isFirst = state.withLock { state in
      state.degradation = reason
      defer { state.hasReported = true }
      return !state.hasReported
    }
    if isFirst { settings.onDegradation(reason) }
    return reason
  }

  private func noteIsolation() {
    state.withLock { if $0.degradation != nil { $0.degradation = nil } }
  }

  /// Sends a request to a worker and waits for the answer. Call it on a thread that decodes, never on one of
  /// Swift's cooperative pool.
  ///
  /// - Parameters:
  ///   - context: its checkpoint is called while waiting; `nil` if the work cannot be cancelled.
  ///   - time: receives the processor time of the answer.
  ///   - read: receives the answer and its pixels. The worker may still change the pixels, so copy them once, and read
  ///     only the copy.
  /// - Throws: `ImageDecodingError`: that of the worker, the errors of `read`, and `decoderFailed`.
  func ask<Value>(
    _ request: PictureRequest, _ body: Body, _ context: DecodingContext? = nil, time: WorkerTime? = nil,
    _ read: (PictureAnswer, UnsafeRawBufferPointer) throws(ImageDecodingError) -> Value
  ) throws(ImageDecodingError) -> Value {
    // A decoder with checkpoints notices by itself that its processor time is used up, and has a better error for
    // it.
    let fieldByteCount = request.fieldByteCount(fileByteCount: body.data.count)
    var job = WorkerRequest(
      kind: WorkerKind(body.type), message: request.data, body: body.data, bodyNumber: body.number,
      memoryByteCount: request.memoryByteCount,
      outputByteCount: request.pixelByteCount.saturatingSum(fieldByteCount),
      cpuTime: request.limits.cpuTime, deadline: settings.deadline)
    job.time = time
    guard let pool else { throw .decoderFailed(body.type, .unavailable(DecoderIsolation.absence)) }
    let result = try pool.perform(job) { () throws(ImageDecodingError) in
      try context?.checkpoint()
    } read: { (message, payload) throws(ImageDecodingError) -> Result<Value, ImageDecodingError> in
      guard let (answer, pixels) = AnswerEnvelope.open(message, payload, fieldByteCount: fieldByteCount)
      else {
        throw body.wrongAnswer("it cannot be read")
      }
      // A worker that reports an error has worked correctly, so it is kept.
      switch answer {
      // Only this side cancels.
      case .failure(.cancelled), .lacking(.cancelled): throw body.wrongAnswer("that it was cancelled")
      case .failure(let error): return .failure(error)
      // A worker without its library is replaced: before the next one is forked, the zygote looks for the library
      // again.
      case .lacking(let error): throw error
      default: return .success(try read(answer, pixels))
      }
    }
    noteIsolation()
    return try result.get()
  }
}

extension WorkerClient.Body {
  func wrongAnswer(_ reason: String) -> ImageDecodingError { .decoderFailed(type, .wrongAnswer(reason)) }

  /// Refuses a header that is impossible for the format, or for a file of this length.
  func check(_ header: ImageHeader) throws(ImageDecodingError) {
    if let flaw = header.flaw(from: [type]) { throw wrongAnswer("an impossible header: \(flaw)") }
    guard header.planeLayout == nil, header.missingBytes?.isEmpty != true,
      header.gainMap?.isInside(data.count) != false
    else {
      throw wrongAnswer("an impossible header")
    }
  }

  /// Copies the pixels of an answer.
  func bitmap(
    _ form: BitmapForm, _ pixels: UnsafeRawBufferPointer, _ pool: PixelBufferPool
  ) throws(ImageDecodingError) -> Bitmap {
    if let flaw = form.flaw { throw wrongAnswer(flaw) }
    guard pixels.count == form.byteCount else {
      throw wrongAnswer("\(pixels.count) bytes of pixels instead of \(form.byteCount)")
    }
    return Bitmap(
      size: form.size, format: form.format, isOpaque: form.isOpaque, colorSpace: form.colorSpace, pool: pool
    ) { memory, _ in memory.copyMemory(from: pixels) }
  }
}

extension GainMap {
  /// Whether the map and its edits are inside a file of some bytes.
  fileprivate func isInside(_ byteCount: Int) -> Bool {
    bytes.upperBound <= byteCount
      && edits.allSatisfy { edit in
        0...bytes.count ~= edit.offset && edit.bytes.count <= bytes.count - edit.offset
      }
  }
}

extension PictureRequest {
  /// The memory for an answer, including that of libraries that count for themselves.
  fileprivate var memoryByteCount: Int {
    limits.decodedByteCount.saturatingSum(limits.animationByteCount).saturatingSum(64 << 20)
  }
}

extension WorkerKind {
  /// Workers for one format.
  init(_ type: ImageType) {
    // Drawings read fonts for their text, on threads; the decoder of HEIC has one thread of its own. All other libraries
    // are asked to use none.
    let format = ImageFormat.of(type)
    self.init(
      name: type.rawValue, type: type, readsFonts: format.decoding == .drawing,
      startsThreads: format.startsThreads)
  }
}

extension WorkerClient {
  /// The settings that pipelines must have in common to share their processes.
  private struct Terms: Hashable, Sendable {
    let mode: DecoderIsolation.Mode
    let helper: DecoderIsolation.Helper
    let deadline: Duration
    let processLimit: Int
    let domain: String
    let fontFolders: [String]

    init(_ settings: DecoderIsolation) {
      (mode, helper) = (settings.mode, settings.helper)
      (deadline, processLimit, domain) = (settings.deadline, settings.processLimit, settings.domain)
      fontFolders = settings.fontFolders
    }
  }

  private struct WeakClient: Sendable {
    weak var client: WorkerClient?
  }

  private static let clients = Mutex<[Terms: WeakClient]>([:])

  /// The object for all registries with equal settings; it lives as long as one of them.
  static func shared(for settings: DecoderIsolation) -> WorkerClient {
    let terms = Terms(settings)
    // If another thread releases an object meanwhile, it is freed outside of the lock; so is the new one if it is
    // not used.
    let fresh = WorkerClient(settings)
    var known: [WorkerClient?] = []
    defer { withExtendedLifetime((fresh, known)) {} }
    return clients.withLock { clients in
      if let client = clients[terms]?.client { return client }
      clients = clients.filter { entry in
        known.append(entry.value.client)
        return known[known.count - 1] != nil
      }
      clients[terms] = WeakClient(client: fresh)
      return fresh
    }
  }
}

/// Answers requests: a pool of workers, or a fake one in tests.
package protocol WorkerAsking: Sendable {
  /// Sends a request to a worker and waits for its answer, as `WorkerPool.perform` does.
  func perform<Result>(
    _ request: WorkerRequest, checkpoint: () throws(ImageDecodingError) -> Void,
    read: (Data, UnsafeRawBufferPointer) throws(ImageDecodingError) -> Result
  ) throws(ImageDecodingError) -> Result

  var status: WorkerStatus { get }
}

#if os(Linux) && canImport(CIsolation)
  extension WorkerPool: WorkerAsking {}
#endif
