import Foundation
import OzuBase
import OzuTesting
import Testing

@testable import OzuCaching

/// Something in the place of the lock or of the index that cannot be used as such.
@Suite("Repair of the lock and of the index", .timeLimit(.minutes(15)))
final class SelfRepairTests: Sendable {
  enum Obstacle: String, CaseIterable {
    case emptyDirectory, directory, pipe, socket, link, danglingLink
  }

  private let root = FileManager.default.temporaryDirectory.path + "/ozu-repair-\(UUID())"
  private var cacheDirectory: String { root + "/cache" }
  let errors = ErrorList()

  init() throws { try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true) }
  deinit { try? FileManager.default.removeItem(atPath: root) }

  func open() throws -> DiskCache {
    try DiskCache(
      directory: cacheDirectory,
      configuration: DiskCacheConfiguration(capacity: 1 << 20) {
        $0.refreshInterval = 0
        $0.onError = errors.add
      })
  }

  private func put(_ obstacle: Obstacle, at path: String) throws {
    try? FileManager.default.removeItem(atPath: path)
    switch obstacle {
    case .emptyDirectory:
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    case .directory:
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      try Data("mine".utf8).write(to: URL(fileURLWithPath: path + "/inside"))
    case .pipe:
      #expect(mkfifo(path, 0o600) == 0)
    case .socket:
      try makeSocket(path)
    case .link:
      try Data("mine".utf8).write(to: URL(fileURLWithPath: root + "/target"))
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: root + "/target")
    case .danglingLink:
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: root + "/nowhere")
    }
  }

  private func makeSocket(_ path: String) throws {
    #if canImport(Glibc)
      let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    #else
      let number = socket(AF_UNIX, SOCK_STREAM, 0)
    #endif
    defer { close(number) }
    // A socket's name is short, so it is made under a short one and moved.
    let short = "/tmp/ozu-\(UInt32.random(in: 0 ... .max))"
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(short.utf8)) }
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    #expect(result == 0)
    #expect(rename(short, path) == 0)
  }

  /// The bytes of all files with this name at any depth.
  private func contents(named name: String) -> [String] {
    let files = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
    return files.filter { ("/" + $0).hasSuffix("/" + name) }
      .compactMap { try? String(contentsOfFile: root + "/" + $0, encoding: .utf8) }
  }

  @Test(
    "the cache writes, whatever has the name of its lock or index", arguments: Obstacle.allCases,
    ["lock", "index", "index.new", "pages"])
  func obstacles(obstacle: Obstacle, name: String) throws {
    let first = try open()
    for number in 0..<20 { first.store(body(number, count: 9000), forKey: key(number)) }
    first.close()
    try put(obstacle, at: cacheDirectory + "/" + name)

    let cache = try open()
    #expect(cache.statistics.isWriter)
    #expect(cache.store(body(50), forKey: key(50)))
    for number in 0..<20 { #expect(cache.entry(forKey: key(number))?.body == body(number, count: 9000)) }
    cache.close()
    // The index was stored in spite of it.
    let again = try open()
    #expect(again.statistics.isWriter)
    #expect(again.statistics.rebuiltIndexes == 0)
    #expect(again.entry(forKey: key(50))?.body == body(50))
    again.close()
    for file in ["lock", "index"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: cacheDirectory + "/" + file)
      #expect(attributes[.type] as? FileAttributeType == .typeRegular)
    }
    // Files in the directory are kept, and links are not followed.
    if obstacle == .directory { #expect(contents(named: "inside") == ["mine"]) }
    if obstacle == .link { #expect(contents(named: "target") == ["mine"]) }
    #expect(!FileManager.default.fileExists(atPath: root + "/nowhere"))
  }

  @Test("a directory that replaces the lock while the cache is open is removed too")
  func whileOpen() throws {
    let cache = try open()
    #expect(cache.store(body(1), forKey: key(1)))
    try put(.directory, at: cacheDirectory + "/lock")
    #expect(cache.store(body(2), forKey: key(2)))
    #expect(cache.entry(forKey: key(1))?.body == body(1))
    #expect(cache.entry(forKey: key(2))?.body == body(2))
    #expect(contents(named: "inside") == ["mine"])
  }

  @Test(
    "of several that repair the lock at once, one writes", arguments: [Obstacle.directory, .emptyDirectory])
  func repairAtOnce(obstacle: Obstacle) throws {
    for _ in 0..<20 {
      try FileManager.default.createDirectory(
        atPath: cacheDirectory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      try put(obstacle, at: cacheDirectory + "/lock")
      let caches = Mutex<[DiskCache]>([])
      DispatchQueue.concurrentPerform(iterations: 4) { _ in
        if let cache = try? self.open() { caches.withLock { $0.append(cache) } }
      }
      let opened = caches.withLock { $0 }
      #expect(opened.count == 4)
      for (number, cache) in opened.enumerated() { cache.store(body(number), forKey: key(number)) }
      #expect(opened.count { $0.statistics.isWriter } == 1)
      for cache in opened { cache.close() }
      try FileManager.default.removeItem(atPath: cacheDirectory)
    }
  }

  @Test(
    "a file of this user that its permissions close is opened again", .enabled(if: geteuid() != 0),
    arguments: ["lock", "index"], [0, 0o400, 0o200] as [mode_t])
  func closedFile(name: String, mode: mode_t) throws {
    let first = try open()
    for number in 0..<20 { first.store(body(number), forKey: key(number)) }
    first.close()
    #expect(chmod(cacheDirectory + "/" + name, mode) == 0)
    let cache = try open()
    #expect(cache.statistics.isWriter)
    for number in 0..<20 { #expect(cache.entry(forKey: key(number))?.body == body(number)) }
    #expect(cache.store(body(50), forKey: key(50)))
    // The lock is still the same file.
    #expect(try open().statistics.isWriter == false)
    cache.close()
    #expect(try open().entry(forKey: key(50))?.body == body(50))
  }

  #if os(Linux)
    @Test(
      "a file of another user is removed from this user's directory, and stays in a directory of another user",
      .enabled(if: geteuid() == 0), arguments: [true, false])
    func foreignFile(isOwnDirectory: Bool) throws {
      let path = root + "/file"
      try Data([1]).write(to: URL(fileURLWithPath: path))
      #expect(chmod(path, 0o600) == 0 && chown(path, 12_345, 12_345) == 0)
      #expect(chmod(root, 0o777) == 0 && (isOwnDirectory || chown(root, 12_345, 12_345) == 0))
      // This thread alone looks at files as a user without rights; the process stays that of the superuser.
      let outcome = Mutex<[DiskCacheError?]>([])
      let thread = Thread {
        // The module map of the C library leaves this function out.
        typealias SetUser = @convention(c) (uid_t) -> Int32
        guard let symbol = dlsym(nil, "setfsuid") else { return outcome.withLock { $0.append(nil) } }
        let setUser = unsafeBitCast(symbol, to: SetUser.self)
        _ = setUser(54_321)
        defer { _ = setUser(0) }
        do throws(DiskCacheError) {
          try SystemFileSystem().removeObstacle(path)
          outcome.withLock { $0.append(nil) }
        } catch {
          outcome.withLock { $0.append(error) }
        }
      }
      thread.start()
      while outcome.withLock({ $0.isEmpty }) { sched_yield() }
      let refusal = DiskCacheError(.remove, path: path, code: EACCES)
      #expect(outcome.withLock { $0 } == [isOwnDirectory ? nil : refusal])
      #expect(FileManager.default.fileExists(atPath: path) != isOwnDirectory)
    }
  #endif
}

/// Something that happened.
final class Flag: Sendable {
  private let state = Atomic<Bool>(false)
  func set() { state.store(true, ordering: .sequentiallyConsistent) }
  var isSet: Bool { state.load(ordering: .sequentiallyConsistent) }
}
