import Foundation
import OzuBase
import OzuHTTP
import OzuTesting
import Testing

@testable import OzuServer

extension ServiceListenerTests {
  private static func permissions(_ path: String) -> UInt32 {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode : 0
  }

  @Test("listens at a Unix socket, with its permissions, and removes it at the end")
  func unixSocket() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "ozu-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.path + "/socket"
    for permissions: UInt32 in [0o600, 0o666] {
      let listener = try ServiceListener(responder, path: path, permissions: permissions)
      #expect(listener.port == 0 && Self.permissions(path) == S_IFSOCK | permissions)
      let client = try TestClient(path: path)
      client.send(Self.get("/a"))
      #expect(try await client.answer().body == Array("/a".utf8))
      let error = #expect(throws: ServiceListenerError.self) {
        _ = try ServiceListener(responder, path: path)
      }
      #expect(error?.code == EADDRINUSE)
      client.close()
      await listener.stop(within: .zero)
      #expect(Self.permissions(path) == 0)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }
    // The socket of a process that died: it is there, and no process listens at it.
    let dead = ListeningSocketRemains(path: path)
    #expect(dead.isThere)
    var listener = try ServiceListener(responder, path: path)
    _ = try TestClient(path: path)
    // Another process has replaced the socket meanwhile: its socket stays.
    unlink(path)
    let other = try ServiceListener(responder, path: path)
    await listener.stop(within: .zero)
    _ = try TestClient(path: path)
    await other.stop(within: .zero)
    // No other file is ever replaced.
    try Data("a".utf8).write(to: URL(fileURLWithPath: path))
    let error = #expect(throws: ServiceListenerError.self) { _ = try ServiceListener(responder, path: path) }
    #expect(error?.code == EEXIST && FileManager.default.contents(atPath: path) == Data("a".utf8))
    unlink(path)
    for bad in ["relative", path + String(repeating: "a", count: 100), folder.path + "/none/socket"] {
      #expect(throws: ServiceListenerError.self) { listener = try ServiceListener(responder, path: bad) }
    }
  }

  @Test(
    "accepts connections at an inherited socket, which its owner keeps open: later connections are not lost")
  func inheritedSocket() async throws {
    let made = try ListeningSocket(host: "127.0.0.1", port: 0)
    defer { made.close() }
    let listener = try ServiceListener(responder, inheriting: dup(made.descriptor))
    #expect(listener.port == made.port)
    let client = try TestClient(port: made.port)
    client.send(Self.get("/a"))
    #expect(try await client.answer().body == Array("/a".utf8))
    let slow = try TestClient(port: made.port)
    slow.send(Self.get("/slow"))
    try await eventually(responder.begunCount == 2)
    async let stopped: Void = listener.stop(within: .seconds(3600))
    #expect(await client.hasEnded())
    // After the drain this listener accepts no connections; the next process does.
    let late = try TestClient(port: made.port)
    late.send(Self.get("/late"))
    responder.gate.open()
    #expect(try await slow.answer().status == 200)
    slow.close()
    await stopped
    let next = try ServiceListener(responder, inheriting: dup(made.descriptor))
    #expect(try await late.answer().body == Array("/late".utf8))
    await next.stop(within: .zero)
  }

  @Test("a descriptor that is not a listening socket is refused")
  func wrongDescriptors() {
    let descriptors = [
      open("/dev/null", O_RDONLY), socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0),
      socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0), -1,
    ]
    for descriptor in descriptors {
      #expect(throws: ServiceListenerError.self) {
        _ = try ServiceListener(responder, inheriting: descriptor)
      }
      if descriptor >= 0 { close(descriptor) }
    }
  }

  @Test(
    "listening fails at an impossible address",
    arguments: [("nowhere", 0), ("192.0.2.1", 0), ("127.0.0.1", 70_000)])
  func addresses(host: String, port: Int) throws {
    let error = #expect(throws: ServiceListenerError.self) {
      _ = try ServiceListener(responder, host: host, port: port)
    }
    #expect(error?.description.contains(host) == true)
    let taken = try listener()
    #expect(throws: ServiceListenerError.self) { _ = try ServiceListener(responder, port: taken.port) }
    _ = try ServiceListener(responder, host: "::1")
  }
}
