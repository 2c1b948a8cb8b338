import Foundation
import OzuTesting
import Testing

@testable import OzuCaching

/// The system's files, in a directory that another user has changed.
@Suite("Directories that others write to", .timeLimit(.minutes(15)))
final class DirectorySafetyTests {
  private let root = FileManager.default.temporaryDirectory.path + "/ozu-safety-\(UUID())"
  private var cacheDirectory: String { root + "/cache" }
  private let errors = ErrorList()

  init() throws { try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true) }
  deinit { try? FileManager.default.removeItem(atPath: root) }

  private func open(
    _ access: DiskCacheAccess = .updating, allowsForeign: Bool = false, at directory: String? = nil
  ) throws -> DiskCache {
    try DiskCache(
      directory: directory ?? cacheDirectory,
      configuration: DiskCacheConfiguration(capacity: 1 << 20, access: access) {
        $0.allowsForeignDirectory = allowsForeign
        $0.refreshInterval = 0
        $0.onError = errors.add
      })
  }

  /// Files with a few entries, and the names of the segments.
  @discardableResult
  private func fill() throws -> [String] {
    let cache = try open()
    for number in 0..<20 { cache.store(body(number, count: 9000), forKey: key(number)) }
    cache.close()
    return try FileManager.default.contentsOfDirectory(atPath: cacheDirectory)
      .filter { $0.hasSuffix(".segment") }.sorted()
  }

  private func check(_ cache: DiskCache, isWriter: Bool = true) {
    #expect(cache.statistics.isWriter == isWriter)
    #expect(cache.store(body(50), forKey: key(50)) == isWriter)
    for number in 0..<20 {
      if let found = cache.entry(forKey: key(number))?.body { #expect(found == body(number, count: 9000)) }
    }
    #expect(cache.verify().isSound)
  }

  /// How many descriptors of files under the directory this process has open.
  private var openDescriptors: Int {
    let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return numbers.count { number in
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)"))?
        .hasPrefix(root) == true
    }
  }

  // MARK: Links

  @Test(
    "a link with the name of a file of the cache is not followed",
    arguments: ["lock", "index", "index.new", "segment"])
  func links(name: String) throws {
    for exists in [true, false] {
      let names = try fill()
      let path = cacheDirectory + "/" + (name == "segment" ? names[0] : name)
      // A target that is valid as the file itself.
      let target = root + "/target \(exists)"
      if FileManager.default.fileExists(atPath: path) {
        try FileManager.default.moveItem(atPath: path, toPath: target)
      } else {
        try Data("mine".utf8).write(to: URL(fileURLWithPath: target))
      }
      let bytes = try Data(contentsOf: URL(fileURLWithPath: target))
      if !exists { try FileManager.default.removeItem(atPath: target) }
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
      let cache = try open()
      check(cache)
      cache.close()
      #expect(FileManager.default.fileExists(atPath: target) == exists)
      if exists { #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == bytes) }
      try FileManager.default.removeItem(atPath: cacheDirectory)
    }
  }

  @Test("a link to the directory is followed, unless another user made it")
  func linkedDirectory() throws {
    try fill()
    let link = root + "/link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: cacheDirectory)
    let cache = try open(at: link)
    check(cache)
    try cache.flush()
    cache.close()
    guard geteuid() == 0 else { return }
    #expect(lchown(link, 12_345, 12_345) == 0)
    #expect(throws: DiskCacheError(.useForeignDirectory, path: link, code: EPERM)) { try open(at: link) }
  }

  // MARK: Pipes and directories with the names of files

  @Test(
    "a pipe with the name of a file does not block", arguments: ["lock", "index", "segment"], [true, false])
  func pipes(name: String, isReader: Bool) throws {
    let names = try fill()
    let path = cacheDirectory + "/" + (name == "segment" ? names[0] : name)
    let holder = isReader && name != "lock" ? try open() : nil
    try FileManager.default.removeItem(atPath: path)
    #expect(mkfifo(path, 0o600) == 0)
    let cache = try open(isReader ? .reading : .updating)
    check(cache, isWriter: !isReader)
    cache.close()
    holder?.close()
    #if os(Linux)
      #expect(openDescriptors == 0)
    #endif
  }

  @Test(
    "a directory with the name of a segment, or of the index, is ignored",
    arguments: ["segment", "index"])
  func directoryAsFile(name: String) throws {
    let names = try fill()
    let path = cacheDirectory + "/" + (name == "segment" ? names[0] : name)
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createDirectory(atPath: path + "/inside", withIntermediateDirectories: true)
    let cache = try open()
    check(cache)
    cache.close()
    #expect(try open().entry(forKey: key(50))?.body == body(50))
  }

  @Test(
    "a path that is not a directory gives an error with this reason",
    arguments: [DiskCacheAccess.updating, .reading])
  func noDirectory(access: DiskCacheAccess) throws {
    let path = root + "/file"
    try Data([1]).write(to: URL(fileURLWithPath: path))
    let error = #expect(throws: DiskCacheError.self) { try open(access, at: path) }
    #expect(error?.description.hasSuffix("\(path): Not a directory") == true)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data([1]))
  }

  // MARK: Owners and permissions

  @Test(
    "a directory that everybody may write to is used only if that is allowed",
    arguments: [0o777, 0o1777, 0o702])
  func openDirectory(mode: mode_t) throws {
    try FileManager.default.createDirectory(atPath: cacheDirectory, withIntermediateDirectories: true)
    #expect(chmod(cacheDirectory, mode) == 0)
    let refusal = DiskCacheError(.useOpenDirectory, path: cacheDirectory, code: EPERM)
    #expect(throws: refusal) { try open() }
    #expect(throws: refusal) { try open(.reading) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: cacheDirectory).isEmpty)
    check(try open(allowsForeign: true))
  }

  @Test("a directory of a group is used", arguments: [0o775, 0o2770, 0o700, 0o755])
  func groupDirectory(mode: mode_t) throws {
    try FileManager.default.createDirectory(atPath: cacheDirectory, withIntermediateDirectories: true)
    #expect(chmod(cacheDirectory, mode) == 0)
    check(try open())
  }

  @Test("the superuser does not use a user's directory unless that is allowed", .enabled(if: geteuid() == 0))
  func foreignDirectory() throws {
    try fill()
    #expect(chown(cacheDirectory, 12_345, 12_345) == 0)
    let refusal = DiskCacheError(.useForeignDirectory, path: cacheDirectory, code: EPERM)
    #expect(throws: refusal) { try open() }
    #expect(refusal.description.hasPrefix("use another user's directory \(cacheDirectory)"))
    check(try open(allowsForeign: true))
  }

  @Test(
    "a directory that another user makes after the directory disappeared is not used",
    .enabled(if: geteuid() == 0))
  func replacedDirectory() throws {
    let cache = try open()
    #expect(cache.store(body(1), forKey: key(1)))
    try FileManager.default.removeItem(atPath: cacheDirectory)
    try FileManager.default.createDirectory(atPath: cacheDirectory, withIntermediateDirectories: true)
    #expect(chown(cacheDirectory, 12_345, 12_345) == 0)
    #expect(!cache.store(body(1, version: 2), forKey: key(1)))
    #expect(cache.entry(forKey: key(1)) == nil)
    #expect(try FileManager.default.contentsOfDirectory(atPath: cacheDirectory).isEmpty)
  }

  // MARK: Files that shrink

  @Test(
    "files that are shortened while the cache is open only cause entries to be lost",
    arguments: ["index", "segment"])
  func cutWhileOpen(name: String) throws {
    let names = try fill()
    let cache = try open()
    #expect(truncate(cacheDirectory + "/" + (name == "segment" ? names[0] : name), 0) == 0)
    for number in 0..<20 {
      let found = cache.entry(forKey: key(number))?.body
      #expect(found == nil || found == body(number, count: 9000))
    }
    for number in 100..<140 { #expect(cache.store(body(number, count: 2000), forKey: key(number))) }
    cache.close()
    let reopened = try open()
    #expect(reopened.entry(forKey: key(139))?.body == body(139, count: 2000))
    #expect(reopened.verify().isSound)
  }
}
