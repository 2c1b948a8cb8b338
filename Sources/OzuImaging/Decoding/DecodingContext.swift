#if canImport(Glibc)
  import Glibc
#else
  import Foundation
#endif

/// The parts of the way from a file to a picture, for those who measure it.
public enum DecodingStage: Hashable, Sendable {
  /// From encoded bytes to pixels at the plan's scale.
  case decode
  /// From there to the target: resampling, turning upright.
  case resize
}

/// What surrounds one decode: its limits, its memory, and the question whether to go on.
///
/// A decoder calls `checkpoint()` every few rows or scans. The processor time is that of the calling thread,
/// counted from the making of the context, so a context is made on the thread that decodes and stays there.
public struct DecodingContext {
  /// What the picture may cost.
  public let limits: DecodingLimits
  /// Where pixel memory comes from.
  public let pool: PixelBufferPool
  /// Whether a file that ends early gives the rows there are instead of an error. Off by default.
  public let allowsTruncation: Bool

  /// What becomes of colours that are not sRGB. They are converted by default.
  public private(set) var colorPolicy: ColorPolicy

  /// In which formats pixels may come. `bgra8` by default.
  public private(set) var pixelFormats: PixelFormatPolicy

  /// How many times as bright as white the display is for which a gain map is applied; `nil` (the default) for none.
  ///
  /// Where a file has one (`ImageHeader.gainMap`), the picture then comes in `rgba16` under PQ with white at 203 candelas per
  /// square metre (`ColorSpaceTag.coded(primaries: 1, transfer: 16)`). Others come as ever.
  public private(set) var headroom: Double?

  /// What bounds the pixels that all decodes have in the making.
  public let budget: DecodedByteBudget

  /// What the file is known by; `nil` where nobody decodes it more than once.
  package private(set) var file: FileIdentity?

  /// Who lends a second thread for one picture; nobody by default. The time of that thread does not count towards the limit
  /// of processor time: it has one of its own, of the same length.
  public let assistant: DecodingAssistant?

  /// Called when a stage begins, on the decoding thread, or has begun a while ago, with how long ago that was.
  private var onStage: (DecodingStage, Duration) -> Void
  private let isCancelled: () -> Bool
  private let threadTime: () -> Duration
  private var start: Duration
  /// By the clock on the wall, when nobody counts processor time otherwise than the system.
  private var wallStart: Duration?
  /// The reservation of the decode that goes on in this context.
  private var share: Share?

  /// A reservation that is exchanged for a larger one.
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
    budget: DecodedByteBudget = .shared, assistant: DecodingAssistant? = nil,
    isCancelled: @escaping () -> Bool = { false }, onStage: @escaping (DecodingStage) -> Void = { _ in },
    threadTime: (() -> Duration)? = nil
  ) {
    self.limits = limits
    self.pool = pool
    self.allowsTruncation = allowsTruncation
    self.colorPolicy = colorPolicy
    self.pixelFormats = pixelFormats
    self.budget = budget
    self.assistant = assistant
    self.isCancelled = isCancelled
    self.onStage = { stage, _ in onStage(stage) }
    self.threadTime = threadTime ?? Self.systemThreadTime
    wallStart = threadTime == nil ? Self.wallTime() : nil
    start = self.threadTime()
  }

  /// Tells those who measure that a stage begins.
  public func begin(_ stage: DecodingStage) {
    onStage(stage, .zero)
  }

  /// Tells those who measure that a stage began a while ago, in another process that has told so only now.
  package func begin(_ stage: DecodingStage, ago duration: Duration) {
    onStage(stage, duration)
  }

  /// The same context for one who measures and also wants to know how long ago a stage began.
  package func measured(by onStage: @escaping (DecodingStage, Duration) -> Void) -> DecodingContext {
    var context = self
    context.onStage = onStage
    return context
  }

  /// The same context for a display that is so many times as bright as white; from 1 to 64, `nil` for no gain map.
  public func brightened(to headroom: Double?) -> DecodingContext {
    var context = self
    context.headroom = headroom.flatMap { $0 > 1 ? min($0, 64) : nil }
    return context
  }

  /// The same context for a display with an HDR headroom in stops, powers of two (ISO 21496-1): up to 6.
  public func brightened(toStops stops: Double) -> DecodingContext { brightened(to: exp2(stops)) }

  /// The same context for a file. A gain map is applied to colours that are converted, whatever becomes of those of files without
  /// one.
  func fitting(_ header: ImageHeader) -> DecodingContext {
    guard headroom != nil, header.gainMap != nil, colorPolicy != .keep else { return self }
    var context = self
    (context.colorPolicy, context.pixelFormats) = (.convertToSRGB, .bgra8)
    return context
  }

  /// The same context for a file of which more parts may be decoded.
  package func identified(as file: FileIdentity?) -> DecodingContext {
    var context = self
    context.file = file
    return context
  }

  /// The same context for what is to be resampled or combined, which is done in `bgra8`.
  func inWorkingFormat() -> DecodingContext {
    var context = self
    context.pixelFormats = .bgra8
    return context
  }

  /// The same context for what is to be converted in the bits that it has.
  func inStoredFormat() -> DecodingContext {
    var context = self
    context.pixelFormats = .asStored
    return context
  }

  /// Makes contexts like this one for later, when nobody can call the decode off any more.
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

  /// The same context with bytes of the budget, after waiting for them. They go back with the last copy of the context.
  /// Not for work that has a reservation already: it could wait for itself.
  ///
  /// - Throws: `limitExceeded` for more than the whole budget; `cancelled`.
  package func reserving(_ byteCount: Int) throws(DecodingError) -> DecodingContext {
    var context = self
    let share = Share()
    share.reservation = try reserve(byteCount)
    context.share = share
    return context
  }

  /// Exchanges the reservation of this context for a larger one, where it has one that is smaller: for a decode that
  /// turns out to take more than planned, before it takes it.
  ///
  /// The old one goes back first, so that nobody waits with bytes in hand.
  ///
  /// - Throws: as `reserving`; nothing is reserved then.
  package func reserve(atLeast byteCount: Int) throws(DecodingError) {
    guard let share, (share.reservation?.byteCount ?? 0) < byteCount else { return }
    share.reservation = nil
    share.reservation = try reserve(byteCount)
  }

  /// Reserves bytes of the budget, and waits for them, as `reserving` does.
  func reserve(_ byteCount: Int) throws(DecodingError) -> DecodedByteBudget.Reservation {
    try budget.reserve(byteCount, isCancelled: isCancelled)
  }

  /// Reserves bytes that a decode can also do without; `nil` when they are not free now.
  package func reserveAside(_ byteCount: Int) -> DecodedByteBudget.Reservation? {
    budget.reserveAside(byteCount)
  }

  /// The processor time that counts towards the limit so far.
  var spentTime: Duration { threadTime() - start }

  /// A context for work that goes on with what took so much processor time before, perhaps on another thread.
  func continuing(after spent: Duration) -> DecodingContext {
    var context = self
    context.start = threadTime() - spent
    if wallStart != nil { context.wallStart = Self.wallTime() - spent }
    return context
  }

  /// Returns when the work is still wanted, without a look at processor time: for one that waits for another process.
  package func checkCancellation() throws(DecodingError) {
    if isCancelled() { throw .cancelled }
  }

  /// Returns when the decode may go on.
  ///
  /// - Throws: `cancelled`, or `limitExceeded` when the processor time is used up.
  public func checkpoint() throws(DecodingError) {
    if isCancelled() { throw .cancelled }
    // A thread cannot have used more than has passed, which is known without a system call.
    if let wallStart, Self.wallTime() - wallStart < limits.cpuTime { return }
    let spent = spentTime
    guard spent > limits.cpuTime else { return }
    // Rounded up, so that what was spent never reads as the limit itself.
    func milliseconds(_ time: Duration) -> Int { Int((time / .milliseconds(1)).rounded(.up)) }
    throw .limitExceeded(
      DecodingLimits.Violation(
        .cpuTime, value: milliseconds(spent), limit: milliseconds(limits.cpuTime)))
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
