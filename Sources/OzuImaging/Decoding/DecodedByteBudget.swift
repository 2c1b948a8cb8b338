import Dispatch
import OzuSynchronization

/// Bounds the bytes of pixels that all decodes of a process have in the making at one time.
///
/// Limits bound a picture, and the threads of a pipeline bound how many are decoded at once; but many large pictures at
/// a time, or several pipelines, could still take more than a machine has. So each decode reserves, before it takes
/// memory, what its plan says it will take, and waits for it when others have it. Who waited longest comes first, even
/// if a smaller one could pass: a large picture is not starved by thumbnails. Only a picture that does not fit
/// into the whole budget fails. A reservation ends with the decode; what is shown afterwards is the business of caches.
///
/// One lock guards the counts; it is held for moments. Nobody waits for a second reservation while holding one, so
/// there is no deadlock.
public final class DecodedByteBudget: Sendable {
  /// The budget that is used where none is named: 512 MB, what `DecodingLimits` allow one picture.
  public static let shared = DecodedByteBudget(byteLimit: 512 << 20)

  /// A share of a budget; it goes back when the last reference is gone.
  public final class Reservation: Sendable {
    /// How many bytes are reserved.
    public let byteCount: Int
    private let budget: DecodedByteBudget
    private let isAside: Bool

    fileprivate init(_ byteCount: Int, _ budget: DecodedByteBudget, isAside: Bool = false) {
      self.byteCount = byteCount
      self.budget = budget
      self.isAside = isAside
    }

    deinit {
      budget.release(byteCount, isAside: isAside)
    }
  }

  private struct Waiter: Sendable {
    let id: Int
    let byteCount: Int
    let turn: DispatchSemaphore
  }

  private struct State: Sendable {
    var reserved = 0
    var reservedAside = 0
    var waiters: [Waiter] = []
    var lastID = 0
  }

  /// The most bytes that are reserved at a time.
  public let byteLimit: Int

  private let state = Mutex(State())

  /// How often those who wait ask whether they still should.
  private static let patience = DispatchTimeInterval.milliseconds(10)

  /// Makes a budget of so many bytes.
  public init(byteLimit: Int) {
    self.byteLimit = byteLimit
  }

  /// The bytes that are reserved now.
  public var reservedByteCount: Int { state.withLock { $0.reserved } }

  /// How many wait for their share.
  public var waitingCount: Int { state.withLock { $0.waiters.count } }

  /// Reserves bytes, and waits until they are to be had.
  ///
  /// Blocks the calling thread, which must be one that may be blocked: those of a pipeline that decode, never one of
  /// Swift's cooperative pool.
  ///
  /// - Parameter isCancelled: asked about every hundredth of a second, from the calling thread.
  /// - Throws: `limitExceeded` for more than the whole budget; `cancelled`.
  public func reserve(
    _ byteCount: Int, isCancelled: () -> Bool = { false }
  ) throws(DecodingError) -> Reservation {
    guard byteCount <= byteLimit else {
      throw .limitExceeded(.init(.decodedByteCount, value: byteCount, limit: byteLimit))
    }
    let waiter = state.withLock { state -> Waiter? in
      if state.waiters.isEmpty, byteCount <= byteLimit - state.reserved {
        state.reserved += byteCount
        return nil
      }
      state.lastID += 1
      let waiter = Waiter(id: state.lastID, byteCount: byteCount, turn: DispatchSemaphore(value: 0))
      state.waiters.append(waiter)
      return waiter
    }
    guard let waiter else { return Reservation(byteCount, self) }
    while waiter.turn.wait(timeout: .now() + Self.patience) == .timedOut {
      guard isCancelled() else { continue }
      if withdraw(waiter) { throw .cancelled }
      // The turn came meanwhile. It goes back with the reservation.
      _ = Reservation(byteCount, self)
      throw .cancelled
    }
    return Reservation(byteCount, self)
  }

  /// Reserves bytes for what can be done without: previews of a file that comes slowly, a second thread for a picture;
  /// `nil` when there are none to spare.
  ///
  /// Such reservations take a quarter of the budget at most, so that what cannot be done without hardly waits for them.
  func reserveAside(_ byteCount: Int) -> Reservation? {
    let isReserved = state.withLock { state in
      guard state.waiters.isEmpty, byteCount <= byteLimit - state.reserved,
        byteCount <= byteLimit / 4 - state.reservedAside
      else { return false }
      state.reserved += byteCount
      state.reservedAside += byteCount
      return true
    }
    return isReserved ? Reservation(byteCount, self, isAside: true) : nil
  }

  /// Whether the waiter was still waiting.
  private func withdraw(_ waiter: Waiter) -> Bool {
    let (isWithdrawn, admitted) = state.withLock { state -> (Bool, [Waiter]) in
      guard let index = state.waiters.firstIndex(where: { $0.id == waiter.id }) else { return (false, []) }
      state.waiters.remove(at: index)
      return (true, admit(&state))
    }
    for waiter in admitted { waiter.turn.signal() }
    return isWithdrawn
  }

  private func release(_ byteCount: Int, isAside: Bool) {
    let admitted = state.withLock { state in
      state.reserved -= byteCount
      if isAside { state.reservedAside -= byteCount }
      return admit(&state)
    }
    for waiter in admitted { waiter.turn.signal() }
  }

  /// Takes those out of the queue who have their share now.
  private func admit(_ state: inout State) -> [Waiter] {
    var admitted: [Waiter] = []
    while let first = state.waiters.first, first.byteCount <= byteLimit - state.reserved {
      state.reserved += first.byteCount
      admitted.append(state.waiters.removeFirst())
    }
    return admitted
  }
}
