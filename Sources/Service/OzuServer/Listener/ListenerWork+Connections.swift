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
      if isFull, oldestWaiting == nil { return pauseAccepting() }
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
        uploads: configuration.uploads, since: configuration.now())
      guard ozu_listener_watch(epoll, descriptor, lastNumber, 1, 1, 0) == 0 else {
        socket.close()
        continue
      }
      connections[lastNumber] = connection
      awaitRequest(connection, within: configuration.headLimit)
      loop.connectionCount.store(connections.count, ordering: .relaxed)
    }
  }

  /// Closes the connection that has waited longest for its request. Returns whether there was one.
  func makeRoom() -> Bool {
    guard let oldest = oldestWaiting else { return false }
    end(oldest)
    return true
  }

  /// The connection that has waited longest for its request. `nil` if none waits.
  private var oldestWaiting: ListenerConnection? {
    waiting.oldest { connections[$0.number]?.waitsSince == $0.since }.flatMap { connections[$0.number] }
  }

  func awaitRequest(_ connection: ListenerConnection, within limit: Duration) {
    let now = configuration.now()
    connection.state = .reading(since: now, deadline: now + limit)
    waiting.append(WaitingOrder.Entry(number: connection.number, since: now)) {
      connections[$0.number]?.waitsSince == $0.since
    }
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
    awaitedByteCount -= connection.awaitedByteCount
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
