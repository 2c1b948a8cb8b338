import CListener
import Foundation
import Glibc
import Ozu
import OzuHTTP
import OzuImaging
import OzuTesting
import Testing

@testable import OzuServer

/// A folder with pictures and with what must not be read, and secrets beside it.
private final class TrappedFolder: Sendable {
  let parent: URL

  init() throws {
    parent = FileManager.default.temporaryDirectory.appending(path: "ozu-local-\(UUID().uuidString)")
    let files = FileManager.default
    try files.createDirectory(at: parent.appending(path: "root/sub"), withIntermediateDirectories: true)
    try files.createDirectory(at: parent.appending(path: "root/.git"), withIntermediateDirectories: true)
    for name in ["secret.png", "root/a.png", "root/sub/ä b%2e.png", "root/.hidden.png", "root/.git/c.png"] {
      try ServiceFixture.picture().write(to: URL(fileURLWithPath: "\(parent.path)/\(name)"))
    }
    for (name, target) in [
      ("out.png", "../secret.png"), ("absolute.png", parent.path + "/secret.png"), ("in.png", "a.png"),
      ("up", ".."), ("folder", "sub"), ("magic.png", "/proc/self/exe"),
    ] {
      try files.createSymbolicLink(
        atPath: parent.path + "/root/" + name, withDestinationPath: target)
    }
    guard mkfifo(root + "/pipe.png", 0o600) == 0 else { throw POSIXError(.EIO) }
  }

  deinit { try? FileManager.default.removeItem(at: parent) }

  var root: String { parent.path + "/root" }
}

@Suite("Pictures of local folders")
struct LocalFoldersTests {
  /// The status for an address, and what both ways of opening say about its path: 0, or an error number. `nil` where the path
  /// never gets there.
  static let addresses: [(source: String, status: Int, path: String?, code: Int32)] = [
    ("local://photos/a.png", 200, "a.png", 0), ("LOCAL://PHOTOS/a.png", 200, nil, 0),
    ("local://photos/sub/%C3%A4%20b%252e.png", 200, "sub/ä b%2e.png", 0),
    ("local://photos/missing.png", 404, "missing.png", ENOENT),
    ("local://photos/a.png/b", 404, "a.png/b", ENOTDIR), ("local://photos/sub", 404, "sub", EISDIR),
    // Ways out.
    ("local://photos/../secret.png", 403, "../secret.png", EXDEV),
    ("local://photos/%2e%2e/secret.png", 403, nil, 0), ("local://photos/%2E./secret.png", 403, nil, 0),
    ("local://photos/sub/../../secret.png", 403, "sub/../../secret.png", EXDEV),
    ("local://photos/..%2fsecret.png", 403, nil, 0),
    ("local://photos/sub%2f..%2f..%2fsecret.png", 403, nil, 0),
    ("local://photos/%252e%252e/secret.png", 404, "%2e%2e/secret.png", ENOENT),
    ("local://photos//etc/passwd", 403, nil, 0), ("local://photos/%2fetc/passwd", 403, nil, 0),
    ("local:///etc/passwd", 403, nil, 0), ("local:/etc/passwd", 403, nil, 0), ("local:etc", 403, nil, 0),
    ("local://photos/./a.png", 403, nil, 0), ("local://photos/a.png%00.jpg", 403, nil, 0),
    ("local://photos/a.png/", 403, nil, 0), ("local://photos/", 403, nil, 0), ("local://photos", 403, nil, 0),
    // Links, of files and of folders, and of the kernel.
    ("local://photos/out.png", 404, "out.png", ELOOP),
    ("local://photos/absolute.png", 404, "absolute.png", ELOOP),
    ("local://photos/in.png", 404, "in.png", ELOOP),
    ("local://photos/up/secret.png", 404, "up/secret.png", ELOOP),
    ("local://photos/folder/x.png", 404, "folder/x.png", ELOOP),
    ("local://photos/magic.png", 404, "magic.png", ELOOP),
    // Not pictures.
    ("local://photos/pipe.png", 404, "pipe.png", ENXIO), ("local://devices/null", 404, "null", ENXIO),
    ("local://devices/stdin", 404, "stdin", ELOOP),
    ("local://photos/.hidden.png", 403, nil, 0), ("local://photos/.git/c.png", 403, nil, 0),
    // Names, and other parts of an address.
    ("local://other/a.png", 403, nil, 0), ("local://gone/a.png", 502, nil, 0),
    ("local://photos:80/a.png", 403, nil, 0), ("local://me@photos/a.png", 403, nil, 0),
    ("local://photos/a.png?b", 403, nil, 0), ("local://photos/a.png#b", 403, nil, 0),
    (
      "local://photos/" + String(repeating: "a", count: 256), 404, String(repeating: "a", count: 256),
      ENAMETOOLONG
    ),
    ("file:///etc/passwd", 403, nil, 0),
  ]

  @Test("only files in the folder are opened", arguments: addresses)
  func hostile(source: String, status: Int, path: String?, code: Int32) async throws {
    let trap = try TrappedFolder()
    let fixture = try Self.fixture(["photos": trap.root, "devices": "/dev", "gone": trap.root + "/gone"])
    let answer = await fixture.get("/x/" + Base64URL.text(of: Array(source.utf8)))
    #expect(answer.status == status, "\(String(decoding: answer.body, as: UTF8.self))")
    guard let path else { return }
    let root = open(source.contains("devices") ? "/dev" : trap.root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { close(root) }
    let opened = ozu_open_beneath(root, path)
    let error = opened < 0 ? errno : 0
    if opened >= 0 { close(opened) }
    // A link on the way is no folder.
    #expect(error == code || code == ELOOP && error == ENOTDIR, "\(path): \(error)")
  }

  private static func fixture(
    _ paths: [String: String], lifetime: Duration = .zero
  ) throws -> ServiceFixture {
    var folders = try LocalFolders(paths)
    folders.lifetime = lifetime
    var rules = AddressTests.openRules
    rules.folders = folders.names
    return try ServiceFixture(addressing: SignedAddresses(rules)) { [folders] in
      $0.pipeline.sources.register(folders)
    }
  }

  @Test("a changed file is served anew, an unchanged one is neither read nor decoded again")
  func changes() async throws {
    let trap = try TrappedFolder()
    let file = URL(fileURLWithPath: trap.root + "/a.png")
    let fixture = try Self.fixture(["": trap.root])
    let target = "/x/plain/local:///a.png@png"
    let first = await fixture.get(target)
    #expect(first.status == 200 && first.headers["Cache-Control"] == "public, no-cache")
    let tag = try #require(first.headers["ETag"])
    #expect(await fixture.get(target).body == first.body)
    #expect(await fixture.get(target, ["If-None-Match": tag]).status == 304)
    #expect(fixture.service.pipeline.statistics.decodes == 1)
    try ServiceFixture.picture(2).write(to: file)
    let second = await fixture.get(target, ["If-None-Match": tag])
    #expect(second.status == 200 && second.body != first.body)
    #expect(fixture.service.pipeline.statistics.decodes == 2)
    try FileManager.default.removeItem(at: file)
    #expect(await fixture.get(target).status == 404)
    #expect(fixture.network.requests.isEmpty)
  }

  @Test("within its lifetime a picture is served without a look at its file")
  func lifetime() async throws {
    let trap = try TrappedFolder()
    let fixture = try Self.fixture(["": trap.root], lifetime: .seconds(60))
    let first = await fixture.get("/x/plain/local:///a.png@png")
    #expect(first.headers["Cache-Control"] == "public, max-age=60")
    try FileManager.default.removeItem(atPath: trap.root + "/a.png")
    #expect(await fixture.get("/x/plain/local:///a.png@png").status == 200)
    fixture.clock.advance(by: .seconds(61))
    #expect(await fixture.get("/x/plain/local:///a.png@png").status == 404)
  }
}
