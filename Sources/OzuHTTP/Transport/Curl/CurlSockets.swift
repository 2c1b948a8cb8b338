#if os(Linux)
  import CCurl

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  /// The sockets that libcurl waits for, and the descriptor that wakes the thread.
  ///
  /// libcurl reports every change (`CURLMOPT_SOCKETFUNCTION`), so that the list for poll(2) is always ready. poll(2), and
  /// not epoll(7): the sockets are few, and a connection that is used again would cost two system calls for each request.
  ///
  /// Not Sendable on purpose: the loop's thread alone uses it.
  final class CurlSockets {
    /// The first entry is the wake-up descriptor's; the others are libcurl's.
    private var entries: [pollfd]
    private var places: [Int32: Int] = [:]
    /// Descriptors with events that nobody has looked at yet.
    private var ready: [Int32] = []

    init(wakeDescriptor: Int32) {
      entries = [pollfd(fd: wakeDescriptor, events: Int16(POLLIN), revents: 0)]
    }

    /// The sockets that are waited for.
    var descriptors: [Int32] { entries.dropFirst().map(\.fd) }

    /// Takes note of what libcurl waits for at a socket: `CURL_POLL_IN` and so on.
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

    /// Waits until a socket is ready, the thread is woken or the time is over. Returns false in the last case.
    func wait(milliseconds: Int32) -> Bool {
      ready.removeAll(keepingCapacity: true)
      guard poll(&entries, nfds_t(entries.count), milliseconds) > 0 else {
        // After an error the fields may hold anything.
        for place in entries.indices { entries[place].revents = 0 }
        return false
      }
      if entries[0].revents != 0 { LoopWaker.clear(entries[0].fd) }
      for entry in entries.dropFirst() where entry.revents != 0 { ready.append(entry.fd) }
      return true
    }

    /// Hands over each ready socket once, with what it is ready for (`CURL_CSELECT_IN` and so on). The body may have
    /// libcurl change the list: a socket that was closed meanwhile is left out, even if its number is another's now.
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
        // A descriptor that is closed already would be reported again and again.
        if events & Int32(POLLNVAL) != 0 { forget(descriptor) }
        body(descriptor, mask)
      }
    }
  }
#endif
