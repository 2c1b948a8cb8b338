#if os(Linux)
  import CCurl

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
      let outcome = transfer.endHop(code, handle, at: clock.now)
      if transfer.isMultiplexed { queue.noteMultiplexing(of: transfer.origin) }
      detach(transfer)
      switch outcome {
      case .finished(let result):
        complete(transfer, result)
      case .redirected(let next):
        transfer.hop = next.request
        transfer.origin = next.origin
        transfer.phase = .waiting
        if transfer.hop.hasPlace { return enqueue(transfer) }
        queue.enqueueFirst(
          transfer, ticket: transfer.ticket, origin: transfer.origin, priority: transfer.hop.priority)
      }
    }

    func failOverdue() {
      guard let deadline = nextDeadline else { return }
      let now = clock.now
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
