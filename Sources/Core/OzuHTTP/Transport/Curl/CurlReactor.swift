#if os(Linux)
  import CCurl

  /// Starts, drives, times out, cancels and completes transfers, on the loop's thread.
  ///
  /// Deliberately not Sendable: it is made on the thread and never leaves it.
  ///
  /// libcurl is driven by events: each turn runs the transfers whose socket is ready or whose timer has expired,
  /// and libcurl reports when its next timer expires. `curl_multi_perform` would run all transfers, but then it
  /// loses timers that a transfer late in its list sets for an earlier one (libcurl 7.88.1, `lib/multi.c`: it drops
  /// timers by a clock that it read meanwhile, in whole milliseconds). As a result, an HTTP/2 stream whose bytes
  /// were read during another stream's turn stopped, with its whole body in memory, until something else woke the
  /// thread.
  ///
  /// A transfer goes fresh → waiting → active → finished. A redirect moves it from active to the front of the
  /// waiting ones, because the next hop may go to another host.
  final class CurlReactor {
    let multi: CurlMulti
    let configuration: HTTPClientConfiguration
    let counters: CurlCounters
    let sockets: CurlSockets

    var queue: StartQueue<CurlTransfer>
    var unfinished: [ObjectIdentifier: CurlTransfer] = [:]
    var idleHandles: [CurlHandle] = []
    private var nextTicket: UInt64 = 0
    /// No time limit of any transfer ends before this instant, so none needs to be checked.
    var nextDeadline: ContinuousClock.Instant?

    init(multi: CurlMulti, configuration: HTTPClientConfiguration, counters: CurlCounters) {
      self.multi = multi
      self.configuration = configuration
      self.counters = counters
      queue = StartQueue(
        maximumActive: configuration.maximumConcurrentRequests,
        maximumActivePerOrigin: configuration.maximumConnectionsPerHost)
      sockets = CurlSockets(wakeDescriptor: multi.waker.descriptor)
      // The reactor keeps the sockets alive, and frees libcurl's handle in `close`.
      ozu_curl_multi_set_on_socket(
        multi.handle, onSocketChange, Unmanaged.passUnretained(sockets).toOpaque())
    }

    /// Accepts a new transfer; `turn` starts it when it may start.
    func start(_ transfer: CurlTransfer, _ completion: CurlTransfer.Completion) {
      transfer.completion = completion
      guard transfer.phase == .fresh else { return complete(transfer, .failure(.init(.cancelled))) }
      transfer.phase = .waiting
      unfinished[ObjectIdentifier(transfer)] = transfer
      enqueue(transfer)
    }

    func enqueue(_ transfer: CurlTransfer) {
      if transfer.hop.hasPlace {
        queue.start(origin: transfer.origin)
        return activate(transfer)
      }
      transfer.ticket = nextTicket
      nextTicket += 1
      queue.enqueue(
        transfer, ticket: transfer.ticket, origin: transfer.origin, priority: transfer.hop.priority)
    }

    /// Ends a transfer in any phase.
    func cancel(_ transfer: CurlTransfer) {
      switch transfer.phase {
      case .fresh: transfer.phase = .cancelledBeforeStart
      case .waiting, .active: fail(transfer, .cancelled)
      case .cancelledBeforeStart, .finished: break
      }
    }

    /// Resumes a paused transfer. libcurl passes the bytes that it kept before this returns, and pauses again if
    /// the sink is not ready.
    func resume(_ transfer: CurlTransfer) {
      guard transfer.phase == .active, transfer.timing.isPaused, let handle = transfer.handle else { return }
      let code = ozu_curl_easy_pause(handle.raw, CURLPAUSE_CONT)
      // The multi handle does not report an error of this call.
      if code != CURLE_OK { finish(transfer, code) }
      if transfer.phase == .active { watch(transfer.timing.nextCheck(after: .now)) }
    }

    /// Ends every transfer.
    func cancelAll() {
      for transfer in Array(unfinished.values) { fail(transfer, .cancelled) }
      publishCounts()
    }

    /// Frees libcurl's handles and closes the connections.
    func close() {
      idleHandles.removeAll()
      multi.close()
    }

    /// Waits until a socket is ready, the thread is woken or the time is over; then `turn` handles the events.
    /// Returns false if the time is over.
    @discardableResult
    func wait(milliseconds: Int32) -> Bool {
      sockets.wait(milliseconds: milliseconds)
    }

    /// Does all work that needs no waiting. Returns how many milliseconds may pass until the next turn if nothing
    /// happens.
    func turn() -> Int32 {
      startWaiting()
      repeat {
        drive()
        collectFinished()
        failOverdue()
        // Transfers that ended have freed places.
      } while startWaiting()
      publishCounts()
      return waitTime
    }

    // Runs the transfers whose socket is ready, and then those whose timer has expired, including new ones.
    private func drive() {
      var running: Int32 = 0
      sockets.forEachReady { descriptor, events in
        ozu_curl_multi_socket_action(multi.handle, descriptor, events, &running)
      }
      ozu_curl_multi_socket_action(multi.handle, ozu_curl_socket_timeout, 0, &running)
    }

    // The milliseconds until libcurl's next timer or the next limit of this client.
    private var waitTime: Int32 {
      var timer = -1
      ozu_curl_multi_timeout(multi.handle, &timer)
      let limit = nextDeadline.map { max(0, ($0 - ContinuousClock.now).wholeMilliseconds) + 1 } ?? 60_000
      return Int32(clamping: timer < 0 ? limit : min(timer, limit))
    }

    // Returns whether a transfer was started.
    @discardableResult
    private func startWaiting() -> Bool {
      var hasStarted = false
      while let transfer = queue.next() {
        hasStarted = true
        activate(transfer)
      }
      return hasStarted
    }

    private func activate(_ transfer: CurlTransfer) {
      transfer.phase = .active
      guard let handle = idleHandles.popLast() ?? CurlHandle(configuration: configuration) else {
        return fail(transfer, .other(code: 27, message: "out of memory"))
      }
      transfer.handle = handle
      transfer.beginHop()
      handle.configure(for: transfer)
      let code = ozu_curl_multi_add_handle(multi.handle, handle.raw)
      guard code == CURLM_OK else {
        return fail(
          transfer, .other(code: Int(code.rawValue), message: String(cString: ozu_curl_multi_strerror(code))))
      }
      watch(transfer.timing.nextCheck(after: .now))
      watch(transfer.timing.connectDeadline)
    }

    func watch(_ instant: ContinuousClock.Instant?) {
      guard let instant else { return }
      nextDeadline = nextDeadline.map { min($0, instant) } ?? instant
    }
  }

  // Runs on the loop's thread inside libcurl's functions; the reactor keeps the sockets alive.
  private func onSocketChange(
    _ easy: UnsafeMutableRawPointer?, _ descriptor: curl_socket_t, _ action: Int32,
    _ context: UnsafeMutableRawPointer?, _ socketContext: UnsafeMutableRawPointer?
  ) -> Int32 {
    guard let context else { return 0 }
    Unmanaged<CurlSockets>.fromOpaque(context).takeUnretainedValue().watch(descriptor, for: action)
    return 0
  }

  /// Ends transfers: finished, failed, cancelled and overdue ones.
  extension CurlReactor {
    func collectFinished() {
      var code = CURLE_OK
      while let raw = ozu_curl_multi_next_finished(multi.handle, &code) {
        // The handle is in use, so its transfer keeps it alive.
        guard let context = ozu_curl_private(raw),
          let transfer = Unmanaged<CurlHandle>.fromOpaque(context).takeUnretainedValue().transfer
        else { continue }
        finish(transfer, code)
      }
    }

    func finish(_ transfer: CurlTransfer, _ code: CURLcode) {
      guard let handle = transfer.handle else { return }
      let outcome = transfer.endHop(code, handle)
      if transfer.isMultiplexed { queue.noteMultiplexing(of: transfer.origin) }
      detach(transfer)
      switch outcome {
      case .finished(let result):
        complete(transfer, result)
      case .redirected(let next):
        transfer.hop = next.request
        transfer.origin = next.origin
        transfer.phase = .waiting
        transfer.timing.endHop()
        if transfer.hop.hasPlace { return enqueue(transfer) }
        queue.enqueueFirst(
          transfer, ticket: transfer.ticket, origin: transfer.origin, priority: transfer.hop.priority)
      }
    }

    func failOverdue() {
      guard let deadline = nextDeadline else { return }
      let now = ContinuousClock.now
      guard now >= deadline else { return }
      nextDeadline = nil
      let transfers = Array(unfinished.values)
      for transfer in transfers {
        if transfer.phase == .active, let end = transfer.timing.connectDeadline, now >= end {
          // libcurl's own limit begins only when it lets a transfer connect. Transfers to an origin wait until its
          // first connection shows whether it carries many streams. If no connection is made, the waiting transfers
          // must fail one after another. If one is made, they wait for their turn.
          let hasConnection = transfers.contains {
            $0.phase == .active && $0.origin == transfer.origin && $0.timing.isConnected
          }
          guard hasConnection else {
            fail(transfer, .timedOut(.connect))
            continue
          }
          transfer.timing.restartConnecting(at: now)
        }
        if let phase = transfer.timing.overduePhase(at: now) {
          fail(transfer, .timedOut(phase))
          continue
        }
        watch(transfer.timing.nextCheck(after: now))
        if transfer.phase == .active { watch(transfer.timing.connectDeadline) }
      }
    }

    func fail(_ transfer: CurlTransfer, _ reason: HTTPError.Reason) {
      switch transfer.phase {
      case .waiting:
        queue.remove(ticket: transfer.ticket, origin: transfer.origin, priority: transfer.hop.priority)
      case .active:
        detach(transfer)
      case .fresh, .cancelledBeforeStart, .finished:
        break
      }
      complete(transfer, .failure(HTTPError(reason)))
    }

    // Detaches the handle from the transfer and frees its place.
    func detach(_ transfer: CurlTransfer) {
      queue.finish(origin: transfer.origin)
      guard let handle = transfer.handle else { return }
      transfer.handle = nil
      ozu_curl_multi_remove_handle(multi.handle, handle.raw)
      handle.reset()
      if idleHandles.count < configuration.maximumConcurrentRequests { idleHandles.append(handle) }
    }

    func complete(_ transfer: CurlTransfer, _ result: Result<HTTPResponse, HTTPError>) {
      transfer.phase = .finished
      unfinished[ObjectIdentifier(transfer)] = nil
      let completion = transfer.completion
      transfer.completion = nil
      // Published before the caller continues, because the caller may read the counts.
      publishCounts()
      completion?.resume(
        returning: result.mapError { error in
          error.url == nil ? HTTPError(error.reason, url: transfer.hop.url) : error
        })
    }

    func publishCounts() {
      counters.active.store(queue.activeCount, ordering: .relaxed)
      counters.waiting.store(queue.waitingCount, ordering: .relaxed)
    }
  }
#endif
