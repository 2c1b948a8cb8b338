#if os(Linux)
  import CCurl

  import OzuBase

  /// The sockets that libcurl waits for, and the descriptor that wakes the thread.
  ///
  /// libcurl reports every change (`CURLMOPT_SOCKETFUNCTION`), so the list for poll(2) is always up to date.
  /// poll(2) is used instead of epoll(7) because there are few sockets, and reusing a connection would cost two
  /// system calls per request.
  ///
  /// Deliberately not Sendable: only the loop's thread uses it.
  final class CurlSockets {
    /// The first entry is the wake-up descriptor; the others are libcurl's sockets.
    private var entries: [pollfd]
    private var places: [Int32: Int] = [:]
    /// Descriptors with events that were not handled yet.
    private var ready: [Int32] = []

    init(wakeDescriptor: Int32) {
      entries = [pollfd(fd: wakeDescriptor, events: Int16(POLLIN), revents: 0)]
    }

    /// The sockets that libcurl waits for.
    var descriptors: [Int32] { entries.dropFirst().map(\.fd) }

    /// Records the events that libcurl waits for at a socket: `CURL_POLL_IN` and so on.
    func watch(_ descriptor: Int32, for action: Int32) {
      guard action != CURL_POLL_REMOVE else { return forget(descriptor) }
      var events: Int32 = 0
      if action == CURL_POLL_IN || action == CURL_POLL_INOUT { events |= Int32(POLLIN) }
      if action == CURL_POLL_OUT || action == CURL_POLL_INOUT { events |= Int32(POLLOUT) }
      if let place = places[descriptor] {
        entries[place].events = Int16(events)
      } else {
        places[descriptor] = entries.count
        entries.append(pollfd(fd: descriptor, events: Int16(events), revents: 0))
      }
    }

    private func forget(_ descriptor: Int32) {
      guard let place = places.removeValue(forKey: descriptor), let last = entries.popLast() else { return }
      guard place < entries.count else { return }
      entries[place] = last
      places[last.fd] = place
    }

    /// Waits until a socket is ready, the thread is woken or the time is over. Returns false if the time is over.
    func wait(milliseconds: Int32) -> Bool {
      ready.removeAll(keepingCapacity: true)
      guard poll(&entries, nfds_t(entries.count), milliseconds) > 0 else {
        // After an error the fields are undefined.
        for place in entries.indices { entries[place].revents = 0 }
        return false
      }
      if entries[0].revents != 0 { LoopWaker.clear(entries[0].fd) }
      for entry in entries.dropFirst() where entry.revents != 0 { ready.append(entry.fd) }
      return true
    }

    /// Calls `body` once with each ready socket and its events (`CURL_CSELECT_IN` and so on). During the calls
    /// libcurl may change the list. A socket that was closed meanwhile is skipped, even if another socket has its
    /// number now.
    func forEachReady(_ body: (Int32, Int32) -> Void) {
      let descriptors = ready
      ready.removeAll(keepingCapacity: true)
      for descriptor in descriptors {
        guard let place = places[descriptor], entries[place].revents != 0 else { continue }
        let events = Int32(entries[place].revents)
        entries[place].revents = 0
        var mask: Int32 = 0
        if events & Int32(POLLIN | POLLHUP) != 0 { mask |= CURL_CSELECT_IN }
        if events & Int32(POLLOUT) != 0 { mask |= CURL_CSELECT_OUT }
        if events & Int32(POLLERR | POLLNVAL) != 0 { mask |= CURL_CSELECT_ERR }
        // Otherwise a closed descriptor would be reported again and again.
        if events & Int32(POLLNVAL) != 0 { forget(descriptor) }
        body(descriptor, mask)
      }
    }
  }
#endif
