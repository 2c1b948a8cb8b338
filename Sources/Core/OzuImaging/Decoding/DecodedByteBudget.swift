import OzuBase

/// Bounds the memory of all decodes of a process that run at the same time, in bytes.
///
/// `DecodingLimits` bound one picture, and the threads of a pipeline bound how many are decoded at once; but many
/// large pictures, or several pipelines, could still take more memory than a machine has. So each decode reserves
/// what its plan says before it allocates, and waits while others have too much. Reservations are given in order,
/// even if a smaller one behind would fit, so that thumbnails cannot starve a large picture. Only a picture that is
/// larger than the whole budget fails. A reservation ends with the decode; finished pictures are counted by the
/// caches.
///
/// One lock guards the counts, and is held only for moments. No thread waits for a second reservation while it
/// holds one, so there is no deadlock.
public final class DecodedByteBudget: Sendable {
  /// The budget that is used by default: 512 MB, as much as `DecodingLimits` allow one picture. On a phone it is at most a
  /// quarter of the memory that the process may still take when the budget is first used, and at least 16 MB: the system ends a
  /// widget or an extension long before 512 MB.
  public static let shared = DecodedByteBudget(
    byteLimit: defaultByteLimit(available: availableProcessMemory()))

  /// - Parameter available: the bytes that the process may still take; `nil` without a limit.
  static func defaultByteLimit(available: Int?) -> Int {
    let most = 512 << 20
    guard let available else { return most }
    return min(most, max(16 << 20, available / 4))
  }

  /// A share of a budget. It is given back when the last reference is released.
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
    let byteCount: Int
    let turn = BlockingAnswer<Void>()
  }

  private struct State: Sendable {
    var reserved = 0
    var reservedAside = 0
    var waiters: [Waiter] = []
  }

  /// The most bytes that can be reserved at the same time.
  public let byteLimit: Int

  private let state = Mutex(State())

  /// Makes a budget of `byteLimit` bytes.
  public init(byteLimit: Int) {
    self.byteLimit = byteLimit
  }

  /// The bytes that are reserved now.
  public var reservedByteCount: Int { state.withLock { $0.reserved } }

  /// How many decodes wait for their reservation.
  public var waitingCount: Int { state.withLock { $0.waiters.count } }

  /// Reserves bytes. Waits until they are free.
  ///
  /// Blocks the calling thread. Call it only on threads that may be blocked, such as a pipeline's decoding threads,
  /// never on Swift's cooperative pool.
  ///
  /// - Parameter isCancelled: asked about every hundredth of a second, from the calling thread.
  /// - Throws: `limitExceeded` for more than the whole budget; `cancelled`.
  public func reserve(
    _ byteCount: Int, isCancelled: () -> Bool = { false }
  ) throws(ImageDecodingError) -> Reservation {
    guard byteCount <= byteLimit else {
      throw .limitExceeded(.init(.decodedByteCount, value: byteCount, limit: byteLimit))
    }
    let waiter = state.withLock { state -> Waiter? in
      if state.waiters.isEmpty, byteCount <= byteLimit - state.reserved {
        state.reserved += byteCount
        return nil
      }
      let waiter = Waiter(byteCount: byteCount)
      state.waiters.append(waiter)
      return waiter
    }
    guard let waiter else { return Reservation(byteCount, self) }
    while waiter.turn.wait(atMost: .milliseconds(10)) == nil {
      guard isCancelled() else { continue }
      if withdraw(waiter) { throw .cancelled }
      // The reservation was granted in the meantime. It is given back at once.
      _ = Reservation(byteCount, self)
      throw .cancelled
    }
    return Reservation(byteCount, self)
  }

  /// Reserves bytes for optional work: previews of a slow download, a second thread for a picture. Returns `nil` if
  /// they are not free now.
  ///
  /// Such reservations take at most a quarter of the budget, so that necessary work hardly waits for them.
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
      guard let index = state.waiters.firstIndex(where: { $0.turn === waiter.turn })
      else { return (false, []) }
      state.waiters.remove(at: index)
      return (true, admit(&state))
    }
    for waiter in admitted { waiter.turn.set(()) }
    return isWithdrawn
  }

  private func release(_ byteCount: Int, isAside: Bool) {
    let admitted = state.withLock { state in
      state.reserved -= byteCount
      if isAside { state.reservedAside -= byteCount }
      return admit(&state)
    }
    for waiter in admitted { waiter.turn.set(()) }
  }

  /// Removes the waiters that fit now from the queue.
  private func admit(_ state: inout State) -> [Waiter] {
    var admitted: [Waiter] = []
    while let first = state.waiters.first, first.byteCount <= byteLimit - state.reserved {
      state.reserved += first.byteCount
      admitted.append(state.waiters.removeFirst())
    }
    return admitted
  }
}
