import OzuBase
import OzuTesting
import Testing

@testable import OzuHTTP

@Suite("A killed process leaves the beginnings of bodies", .timeLimit(.minutes(15)))
struct HTTPOrphanedBodyTests {
  private static let body = patternedBytes(60_000)
  private static let prefix = "ozu-beginning-"
  private let folder: TemporaryFolder
  /// Copies of the files that a killed process leaves.
  private let left: TemporaryFolder

  init() throws {
    (folder, left) = (try TemporaryFolder(), try TemporaryFolder())
  }

  private func fixture(in folder: TemporaryFolder, threshold: Int = 8 << 20) -> CacheFixture {
    let clock = ManualClock(date: noon)
    return CacheFixture {
      $0.spooling = HTTPSpoolingConfiguration(threshold: threshold, directory: folder.path)
      $0.now = clock.now
      // Each call of the clock finds it 100 ms later.
      $0.currentDate = clock.date
      $0.now = {
        clock.advance(by: .milliseconds(100))
        return clock.currentInstant
      }
    }
  }

  /// Serves a body that stops in the middle, and copies what is on the disk then.
  ///
  /// - Returns: the names that were there.
  private func interrupt(
    headers: HTTPHeaders = ["ETag": "\"1\""], threshold: Int = 8 << 20, mode: HTTPCacheMode = .default,
    after pieceCount: Int = 40, isExpected: Bool = true
  ) async throws -> [String] {
    let fixture = fixture(in: folder, threshold: threshold)
    let gate = Gate()
    fixture.serve(FakeHTTPReply(headers: headers, body: Self.body).dripping(1000, through: gate))
    let task = Task { try await fixture.get(mode: mode) }
    gate.admit(pieceCount)
    await gate.arrivals(pieceCount + 1)
    // The writer's thread has its own time.
    if isExpected {
      try await eventually(try self.leftByteCount() == pieceCount * 1000)
    } else {
      await withCheckedContinuation { done in fixture.cache.spool?.enqueue { done.resume() } }
    }
    let names = try folder.names()
    for name in names {
      try FileManager.default.copyItem(atPath: "\(folder.path)/\(name)", toPath: "\(left.path)/\(name)")
    }
    task.cancel()
    _ = try? await task.value
    return names
  }

  /// How many bytes of the body a process that looks now would find.
  private func leftByteCount() throws -> Int? {
    guard let name = try folder.names().first,
      let file = FileManager.default.contents(atPath: "\(folder.path)/\(name)")
    else { return nil }
    return HTTPPartialBodyFormat.read(file)?.body.count
  }

  private func rest(from offset: Int) -> FakeHTTPReply {
    FakeHTTPReply(
      status: 206, headers: ["ETag": "\"1\"", "Content-Range": "bytes \(offset)-59999/60000"],
      body: Self.body.dropFirst(offset))
  }

  @Test("the next process asks for the rest of them", arguments: [8 << 20, 1000])
  func resumption(threshold: Int) async throws {
    let names = try await interrupt(threshold: threshold)
    #expect(names.count == 1 && names.allSatisfy { $0.hasPrefix(Self.prefix) })
    let next = fixture(in: left)
    next.serve(rest(from: 40_000))
    let answer = try await next.get()
    #expect(next.sent["Range"] == "bytes=40000-")
    #expect(next.sent["If-Range"] == "\"1\"")
    #expect(answer.body == Self.body)
    // No file is left, here or in the process that was only interrupted.
    #expect(try left.names() == [])
    #expect(try folder.names() == [])
    let key = HTTPCacheKey(HTTPRequest(url: CacheFixture.url))
    #expect(await next.storage.partialBody(for: key) == nil)
  }

  @Test("a caller that removes what is stored for a request removes that of it, and of no other")
  func removal() async throws {
    _ = try await interrupt()
    let next = fixture(in: left)
    await next.cache.removeLeft(for: HTTPRequest(url: url("https://example.com/b")))
    #expect(try left.names().count == 1)
    await next.cache.removeLeft(for: HTTPRequest(url: CacheFixture.url))
    #expect(try left.names() == [])
    next.serve(.text("whole"))
    #expect(try await next.get().text == "whole")
    #expect(next.sent["Range"] == nil)
  }

  @Test("a body that arrives fast enough is in no file")
  func fast() async throws {
    #expect(try await interrupt(after: 5, isExpected: false) == [])
  }

  @Test(
    "nor is a body that cannot be resumed or may not be stored",
    arguments: [
      ["Cache-Control": "max-age=10"], ["ETag": "W/\"1\""], ["ETag": "\"1\"", "Cache-Control": "no-store"],
      ["ETag": "\"1\"", "Content-Encoding": "gzip"], ["ETag": "\"1\"", "Accept-Ranges": "none"],
    ] as [HTTPHeaders])
  func notResumable(_ headers: HTTPHeaders) async throws {
    #expect(try await interrupt(headers: headers, isExpected: false) == [])
    #expect(try await interrupt(headers: headers, threshold: 1000, isExpected: false) == [])
  }

  @Test("nor is the body of a request that bypasses the cache")
  func noStore() async throws {
    #expect(try await interrupt(mode: .noStore, isExpected: false) == [])
  }

  @Test("neither the name nor the file contains secrets of the address")
  func secrets() async throws {
    let names = try await interrupt(headers: ["ETag": "\"1\"", "Set-Cookie": "session=hunter2"])
    let name = try #require(names.first)
    let file = try #require(FileManager.default.contents(atPath: "\(left.path)/\(name)"))
    #expect(!String(decoding: file.prefix(4000), as: UTF8.self).contains("hunter2"))
    #expect(!name.contains("example"))
  }

  @Test("bytes that did not reach the disk are not used", arguments: [true, false])
  func damaged(isCut: Bool) async throws {
    let path = try leave([39_000, 40_000])
    var file = try #require(FileManager.default.contents(atPath: path))
    // A loss of power leaves zeros, or fewer bytes than the checkpoint states.
    if isCut {
      file.removeLast(500)
    } else {
      file.replaceSubrange((file.count - 500)..., with: Data(count: 500))
    }
    try file.write(to: URL(filePath: path))
    let next = fixture(in: left)
    // The checkpoint before the last one is a piece earlier.
    next.serve(rest(from: 39_000))
    #expect(try await next.get().body == Self.body)
    #expect(next.sent["Range"] == "bytes=39000-")
    #expect(try left.names() == [])
  }

  /// Leaves a file with these checkpoints. Returns its path.
  @discardableResult
  private func leave(_ byteCounts: [Int], at offset: Double = 0) throws -> String {
    var response = storedResponse(["ETag": "\"1\"", "Content-Length": "60000"])
    response.responseDate += offset
    let beginning = HTTPPartialBodyRecord(response, for: HTTPCacheKey(HTTPRequest(url: CacheFixture.url)))
    let file = try HTTPSpoolFile(directory: folder.path, beginning: beginning)
    for byteCount in byteCounts {
      try file.append(Data(Self.body.prefix(byteCount).dropFirst(file.byteCount)))
      file.checkpoint(HTTPBodyIdentity.of(Self.body.prefix(byteCount)))
    }
    let name = try #require(try folder.names().first)
    try FileManager.default.copyItem(atPath: "\(folder.path)/\(name)", toPath: "\(left.path)/\(name)")
    return "\(left.path)/\(name)"
  }

  @Test("a file that is not a beginning is removed and not used", arguments: [0, 10, 64, 192, 70_000])
  func garbage(byteCount: Int) async throws {
    let name = try #require(try await interrupt().first)
    try Data(count: byteCount).write(to: URL(filePath: "\(left.path)/\(name)"))
    let next = fixture(in: left)
    next.serve(.ok(Self.body))
    #expect(try await next.get().body == Self.body)
    #expect(!next.sent.contains(name: "Range"))
    #expect(try left.names() == [])
  }

  @Test("a file that another process is writing stays and is not used")
  func locked() async throws {
    let key = HTTPCacheKey(HTTPRequest(url: CacheFixture.url))
    let response = storedResponse(["ETag": "\"1\""])
    let file = try HTTPSpoolFile(directory: folder.path, beginning: HTTPPartialBodyRecord(response, for: key))
    try file.append(Data(Self.body.prefix(20_000)))
    file.checkpoint(HTTPBodyIdentity.of(Self.body.prefix(20_000)))
    let next = fixture(in: folder)
    next.serve(.ok(Self.body))
    _ = try await next.get()
    #expect(!next.sent.contains(name: "Range"))
    #expect(try folder.names().count == 1)
    withExtendedLifetime(file) {}
  }

  @Test("the longest beginning of the latest response is used, unless the storage has a better one")
  func several() async throws {
    try leave([50_000], at: 0)
    try leave([20_000], at: 10)
    try leave([30_000], at: 10)
    #expect(try left.names().count == 3)
    let next = fixture(in: left)
    next.serve(rest(from: 30_000).failing(.connectionLost, afterByteCount: 5000), rest(from: 35_000))
    await #expect(throws: HTTPError.self) { try await next.get() }
    #expect(next.sent["Range"] == "bytes=30000-")
    #expect(try left.names() == [])
    #expect(try await next.get().body == Self.body)
  }

  @Test("emptying a cache removes beginnings, except those that are being written")
  func removal() throws {
    try leave([40_000])
    HTTPSpoolingConfiguration.removePartialBodies(in: left.path)
    #expect(try left.names() == [])
    let beginning = HTTPPartialBodyRecord(
      storedResponse(["ETag": "\"1\""]), for: HTTPCacheKey(HTTPRequest(url: CacheFixture.url)))
    let file = try HTTPSpoolFile(directory: left.path, beginning: beginning)
    HTTPSpoolingConfiguration.removePartialBodies(in: left.path)
    #expect(try left.names().count == 1)
    withExtendedLifetime(file) {}
  }

  @Test("at most 32 are kept, and none for more than a week")
  func sweeping() throws {
    for number in 0..<40 {
      let path = "\(left.path)/\(Self.prefix)\(number)-1-a"
      try Data("x".utf8).write(to: URL(filePath: path))
      // One is from a clock that was a month ahead.
      let date = Date().addingTimeInterval(number == 39 ? 30 * 86_400 : Double(-number) * 3600)
      try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
    }
    let kept = HTTPSpoolFile.sweep(directory: left.path)
    #expect(kept.keys.sorted() == (0..<32).map(String.init).sorted())
    #expect(try left.names().count == 32)
    #expect(HTTPSpoolFile.sweep(directory: left.path, now: Date().addingTimeInterval(8 * 24 * 3600)).isEmpty)
    #expect(try left.names() == [])
  }
}
