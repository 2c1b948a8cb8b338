import CListener
import Foundation
import Glibc
import OzuHTTP

/// Accepts connections, watches their sockets, and ends them.
extension ListenerWork {
  func accept() {
    // The limit keeps many new connections from delaying the others.
    for _ in 0..<64 {
      let isFull = connections.count >= configuration.maximumConnectionCount
      if isFull, !connections.values.contains(where: \.isReading) { return pauseAccepting() }
      let descriptor = ozu_listener_accept(listener.descriptor)
      guard descriptor >= 0 else {
        let isExhausted = [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno)
        if isExhausted, !makeRoom() { pauseAccepting() }
        return
      }
      // A waiting connection is closed only after a new one was accepted.
      if isFull { _ = makeRoom() }
      let socket = ListenerSocket(descriptor: descriptor)
      socket.setOptions()
      lastNumber += 1
      let connection = ListenerConnection(
        number: lastNumber, socket: socket, remoteAddress: socket.remoteAddress,
        uploads: configuration.uploads, reading(within: configuration.headLimit))
      guard ozu_listener_watch(epoll, descriptor, lastNumber, 1, 1, 0) == 0 else {
        socket.close()
        continue
      }
      connections[lastNumber] = connection
      loop.connectionCount.store(connections.count, ordering: .relaxed)
    }
  }

  /// Closes the connection that has waited longest for its request. Returns whether there was one.
  func makeRoom() -> Bool {
    var oldest: (connection: ListenerConnection, since: ContinuousClock.Instant)?
    for connection in connections.values {
      guard let since = connection.waitsSince, oldest.map({ since < $0.since }) ?? true else { continue }
      oldest = (connection, since)
    }
    guard let oldest else { return false }
    end(oldest.connection)
    return true
  }

  func reading(within limit: Duration) -> ListenerConnection.State {
    let now = configuration.now()
    return .reading(since: now, deadline: now + limit)
  }

  func pauseAccepting() {
    isPaused = true
    _ = ozu_listener_watch(epoll, listener.descriptor, Self.listenerNumber, 0, 0, 0)
  }

  func resumeAccepting() {
    guard isAccepting else { return }
    isPaused = false
    _ = ozu_listener_watch(epoll, listener.descriptor, Self.listenerNumber, 0, 1, 0)
  }

  func stopAccepting() {
    guard isAccepting else { return }
    isAccepting = false
    _ = ozu_listener_forget(epoll, listener.descriptor)
    listener.close()
  }

  func end(_ connection: ListenerConnection) {
    if case .answering(let task, _) = connection.state { task.cancel() }
    connections[connection.number] = nil
    connection.socket.close()
    loop.connectionCount.store(connections.count, ordering: .relaxed)
    if isPaused { resumeAccepting() }
  }

  func watch(_ connection: ListenerConnection, reading: Bool, writing: Bool) {
    guard connection.interest != (reading, writing) else { return }
    connection.interest = (reading, writing)
    _ = ozu_listener_watch(
      epoll, connection.socket.descriptor, connection.number, 0, reading ? 1 : 0, writing ? 1 : 0)
  }
}
