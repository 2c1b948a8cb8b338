import OzuBase

/// The stages from a file to a picture, for measurements.
public enum DecodingStage: Hashable, Sendable {
  /// From encoded bytes to pixels at the plan's scale.
  case decode
  /// From there to the result: resampling, turning upright.
  case resize
}

/// The surroundings of one decode: its limits, its memory, its cancellation.
///
/// A decoder calls `checkpoint()` every few rows or scans. Processor time is that of the calling thread since the
/// context was made, so make the context on the thread that decodes, and use it only there.
public struct DecodingContext {
  /// The limits for the cost of the picture.
  public let limits: DecodingLimits
  /// The pool that memory for pixels is taken from.
  public let pool: PixelBufferPool
  /// Whether a truncated file gives the rows that it has, and a note, instead of an error. Off by default.
  public var allowsTruncation: Bool { truncation != nil }

  /// The treatment of colours that are not sRGB. They are converted by default.
  public private(set) var colorPolicy: ColorPolicy

  /// The pixel formats that the result may have. `bgra8` by default.
  public private(set) var pixelFormats: PixelFormatPolicy

  /// How many times as bright as white the display is, for applying a gain map; `nil` (the default) applies none.
  ///
  /// A picture with a gain map (`ImageHeader.gainMap`) then has the format `rgba16` under PQ with white at 203
  /// candelas per square metre (`ColorSpaceTag.coded(primaries: 1, transfer: 16)`). Other pictures are not
  /// affected.
  public private(set) var headroom: Double?

  /// How pixels are stored: premultiplied, except in tests of decoders.
  package private(set) var alpha = Alpha.premultiplied

  /// The budget that bounds the memory of all decodes together.
  public let budget: DecodedByteBudget

  /// Whether the budget is what another process has reserved so far (`withGrowingBudget`).
  private var hasGrowingBudget = false

  /// The identity of the file in caches of decoders; `nil` if the file is decoded only once.
  package private(set) var file: FileIdentity?

  /// Lends a second thread for one picture; `nil` by default. The time of that thread does not count towards the
  /// limit on processor time: it has a limit of its own, of the same length.
  package private(set) var assistant: DecodingAssistant?

  /// Called on the decoding thread when a stage begins; the duration says how long ago it began.
  private var measure: (DecodingStage, Duration) -> Void
  private let isCancelled: () -> Bool
  /// The processor time from a function of the caller; `nil` for that of the system.
  private let threadTime: (() -> Duration)?
  private var start: Duration
  /// The wall time at the start; `nil` if the processor time comes from a function of the caller.
  private var wallStart: Duration?
  /// The reservation of the decode in this context.
  private var share: Share?
  /// Whether the file turned out to be truncated; `nil` if that is an error.
  private let truncation: Truncation?

  /// Shared by the copies of a context, which are all used on one thread.
  private final class Truncation {
    var isMet = false
  }

  /// A reservation that can be exchanged for a larger one.
  private final class Share {
    var reservation: DecodedByteBudget.Reservation?
  }

  /// Makes a context for a decode that starts now.
  ///
  /// - Parameters:
  ///   - isCancelled: asked at each checkpoint, from the decoding thread.
  ///   - onStage: called when a stage begins, from the decoding thread.
  ///   - threadTime: the processor time of the calling thread; the system's by default.
  public init(
    limits: DecodingLimits = .default, pool: PixelBufferPool = .shared, allowsTruncation: Bool = false,
    colorPolicy: ColorPolicy = .convertToSRGB, pixelFormats: PixelFormatPolicy = .bgra8,
    budget: DecodedByteBudget = .shared,
    isCancelled: @escaping () -> Bool = { false }, onStage: @escaping (DecodingStage) -> Void = { _ in },
    threadTime: (() -> Duration)? = nil
  ) {
    self.limits = limits
    self.pool = pool
    truncation = allowsTruncation ? Truncation() : nil
    self.colorPolicy = colorPolicy
    self.pixelFormats = pixelFormats
    self.budget = budget
    self.isCancelled = isCancelled
    measure = { stage, _ in onStage(stage) }
    self.threadTime = threadTime
    wallStart = threadTime == nil ? Self.wallTime() : nil
    start = threadTime?() ?? Self.systemThreadTime()
  }

  /// The same decode with a second thread for its picture.
  package consuming func assisted(by assistant: DecodingAssistant?) -> DecodingContext {
    self.assistant = assistant
    return self
  }

  /// Accepts that data are missing at the end of a file, if the context allows it. The picture then has a note.
  ///
  /// - Throws: `truncated`, unless the context allows it.
  public func acceptTruncation(of type: ImageType, stage: String) throws(ImageDecodingError) {
    guard let truncation else { throw .truncated(type, stage: stage) }
    truncation.isMet = true
  }

  /// Whether data of this picture were missing and were done without.
  var hasAcceptedTruncation: Bool {
    get { truncation?.isMet ?? false }
    nonmutating set { truncation?.isMet = newValue }
  }

  /// Reports that a stage begins.
  public func begin(_ stage: DecodingStage) {
    begin(stage, ago: .zero)
  }

  /// Reports that a stage began a while ago, in another process that reports it only now.
  package func begin(_ stage: DecodingStage, ago duration: Duration) {
    measure(stage, duration)
  }

  /// The same context with another observer of stages, which also receives how long ago a stage began.
  package consuming func measured(
    by measure: @escaping (DecodingStage, Duration) -> Void
  ) -> DecodingContext {
    self.measure = measure
    return self
  }

  /// The same context for a display that is `headroom` times as bright as white, from 1 to 64; `nil` for no gain
  /// map.
  public consuming func brightened(to headroom: Double?) -> DecodingContext {
    self.headroom = headroom.flatMap { $0 > 1 ? min($0, 64) : nil }
    return self
  }

  /// The same context for a display whose HDR headroom is given in stops, powers of two (ISO 21496-1): up to 6.
  public func brightened(toStops stops: Double) -> DecodingContext { brightened(to: exp2(stops)) }

  /// The same context with a budget that another process makes larger, if a decode fails for it, and then tries again. So nothing is
  /// left out for lack of memory.
  package func withGrowingBudget() -> DecodingContext {
    var context = self
    context.hasGrowingBudget = true
    return context
  }

  /// Whether a decode that fails with an error is tried again with a larger budget.
  func isTriedAgain(after error: ImageDecodingError) -> Bool {
    guard hasGrowingBudget, case .limitExceeded(let violation) = error else { return false }
    return violation.quantity == .decodedByteCount && violation.limit == budget.byteLimit
      && budget.byteLimit < limits.decodedByteCount
  }

  /// The same context for one file. If a gain map will be applied, colours are converted, even under a policy that
  /// keeps some of them. Only under `keep` they stay as stored, and the map is not applied.
  func fitting(_ header: ImageHeader) -> DecodingContext {
    guard headroom != nil, header.gainMap != nil, colorPolicy != .keep else { return self }
    var context = self
    (context.colorPolicy, context.pixelFormats) = (.convertToSRGB, .bgra8)
    return context
  }

  /// The same context for a file of which several parts may be decoded.
  package consuming func identified(as file: FileIdentity?) -> DecodingContext {
    self.file = file
    return self
  }

  /// The same context for pixels that are stored in another way.
  consuming func storing(_ alpha: Alpha) -> DecodingContext {
    self.alpha = alpha
    return self
  }

  /// The same context for a bitmap that will be resampled or combined, which needs `bgra8`.
  consuming func inWorkingFormat() -> DecodingContext {
    pixelFormats = .bgra8
    return self
  }

  /// The same context for a bitmap that will be converted in all its bits.
  consuming func inStoredFormat() -> DecodingContext {
    pixelFormats = .asStored
    return self
  }

  /// Makes contexts like this one for a later decode, which cannot be cancelled any more.
  var successor: @Sendable () -> DecodingContext {
    let (limits, pool, allowsTruncation, colorPolicy) = (limits, pool, allowsTruncation, colorPolicy)
    let (pixelFormats, budget, headroom) = (pixelFormats, budget, headroom)
    return {
      DecodingContext(
        limits: limits, pool: pool, allowsTruncation: allowsTruncation, colorPolicy: colorPolicy,
        pixelFormats: pixelFormats, budget: budget
      ).brightened(to: headroom)
    }
  }

  /// The same context with a reservation of the budget, after waiting for it. The reservation ends with the last
  /// copy of the context. Do not call it while holding a reservation: it can deadlock.
  ///
  /// - Throws: `limitExceeded` for more than the whole budget; `cancelled`.
  package consuming func reserving(_ byteCount: Int) throws(ImageDecodingError) -> DecodingContext {
    let share = Share()
    share.reservation = try reserve(byteCount)
    self.share = share
    return self
  }

  /// Exchanges the reservation of this context for a larger one, if it has one that is smaller. For a decode that
  /// turns out to need more memory than planned, before it allocates.
  ///
  /// The old reservation is given back first, so that no thread waits while it holds bytes.
  ///
  /// - Throws: as `reserving`; then nothing is reserved.
  package func reserve(atLeast byteCount: Int) throws(ImageDecodingError) {
    guard let share, (share.reservation?.byteCount ?? 0) < byteCount else { return }
    share.reservation = nil
    share.reservation = try reserve(byteCount)
  }

  /// Reserves bytes of the budget and waits for them, as `reserving` does.
  func reserve(_ byteCount: Int) throws(ImageDecodingError) -> DecodedByteBudget.Reservation {
    try budget.reserve(byteCount, isCancelled: isCancelled)
  }

  /// Reserves bytes for optional work; `nil` if they are not free now.
  package func reserveAside(_ byteCount: Int) -> DecodedByteBudget.Reservation? {
    budget.reserveAside(byteCount)
  }

  /// The processor time of the calling thread.
  private var processorTime: Duration { threadTime?() ?? Self.systemThreadTime() }

  /// The processor time that counts towards the limit so far.
  var spentTime: Duration { processorTime - start }

  /// A context for work that continues after `spent` of processor time, perhaps on another thread.
  func continuing(after spent: Duration) -> DecodingContext {
    var context = self
    context.start = processorTime - spent
    if wallStart != nil { context.wallStart = Self.wallTime() - spent }
    return context
  }

  /// Does work in which a library has threads of its own, and counts their time from then on. It is estimated: as the time of
  /// the process without this thread, but with it no more than has passed.
  package mutating func countingOtherThreads<Result>(
    _ body: () throws(ImageDecodingError) -> Result
  ) throws(ImageDecodingError) -> Result {
    guard wallStart != nil else { return try body() }
    let (own, wall, process) = (processorTime, Self.wallTime(), Self.time(of: CLOCK_PROCESS_CPUTIME_ID))
    let result = try body()
    let all = min(Self.time(of: CLOCK_PROCESS_CPUTIME_ID) - process, Self.wallTime() - wall)
    let others = all - (processorTime - own)
    if others > .zero { self = continuing(after: spentTime + others) }
    return result
  }

  /// Throws if the work was cancelled. It does not look at processor time: for a thread that waits for another
  /// process.
  package func checkCancellation() throws(ImageDecodingError) {
    if isCancelled() { throw .cancelled }
  }

  /// Throws if the decode must stop.
  ///
  /// - Throws: `cancelled`, or `limitExceeded` if the processor time is used up.
  public func checkpoint() throws(ImageDecodingError) {
    if isCancelled() { throw .cancelled }
    // A thread cannot have used more time than has passed on the clock, which is known without a system call.
    if let wallStart, Self.wallTime() - wallStart < limits.cpuTime { return }
    try limits.check(spentTime: spentTime)
  }

  /// The processor time that the calling thread has used.
  public static func systemThreadTime() -> Duration {
    time(of: CLOCK_THREAD_CPUTIME_ID)
  }

  private static func wallTime() -> Duration { time(of: CLOCK_MONOTONIC) }

  private static func time(of clock: clockid_t) -> Duration {
    var time = timespec()
    clock_gettime(clock, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
