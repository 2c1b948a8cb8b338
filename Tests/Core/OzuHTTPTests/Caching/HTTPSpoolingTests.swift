import Dispatch
import OzuBase
import OzuTesting
import Testing

@testable import OzuHTTP

@Suite("Large bodies are written to files while they arrive", .timeLimit(.minutes(15)))
struct HTTPSpoolingTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func spool(threshold: Int = 1000) -> HTTPBodySpool {
    HTTPBodySpool(threshold: threshold) { [path = folder.path] in path }
  }

  private func fixture(threshold: Int = 1000) -> CacheFixture {
    CacheFixture { [path = folder.path] in
      $0.spooling = HTTPSpoolingConfiguration(threshold: threshold, directory: path)
    }
  }

  @Test(
    "a body of any length, in any pieces, announced or not, is whole; the folder stays empty",
    arguments: [999, 1000, 1001, 70_000, 3_000_000], [true, false])
  func whole(byteCount: Int, isAnnounced: Bool) async throws {
    let body = patternedBytes(byteCount)
    let fixture = fixture()
    var reply = FakeHTTPReply.ok(body).inPieces(of: 4093)
    reply.announcesLength = isAnnounced
    fixture.serve(reply)
    let answer = try await fixture.get()
    #expect(answer.body == body)
    #expect(answer.bodyIdentity == HTTPBodyIdentity.of(body))
    #expect(try folder.names() == [])
    #expect(fixture.cache.spool?.openFileCount == 0)
  }

  @Test(
    "while a body arrives there is a file without a name, and none after an interruption",
    arguments: [true, false])
  func underWay(isCancelled: Bool) async throws {
    let fixture = fixture()
    let gate = Gate()
    fixture.serve(
      .ok(patternedBytes(50_000)).dripping(5000, through: gate)
        .failing(.connectionLost, afterByteCount: 40_000))
    let task = Task { try await fixture.get() }
    gate.admit(4)
    await gate.arrivals(5)
    try await eventually(fixture.cache.spool?.openFileCount == 1)
    #expect(try folder.names() == [])
    if isCancelled { task.cancel() } else { gate.open() }
    await #expect(throws: HTTPError.self) { try await task.value }
    #expect(fixture.cache.spool?.openFileCount == 0)
  }

  @Test(
    "large bodies stay in the memory that they share while it has room, which comes back with the last of their data"
  )
  func sharedMemory() async throws {
    let spool = HTTPBodySpool(threshold: 1000, memoryByteCount: 100_000) { [path = folder.path] in path }
    func arrived(_ bytes: Data, announced: Int) -> HTTPSpooledBody {
      let body = HTTPSpooledBody(spool: spool)
      body.expect(byteCount: announced)
      body.append(bytes.prefix(500))
      bytes.dropFirst(500).withUnsafeBytes { body.append($0) }
      return body
    }
    let bytes = patternedBytes(70_000)
    var content = arrived(bytes, announced: bytes.count).takeMemory()
    #expect(content?.data == bytes)
    let second = arrived(bytes, announced: bytes.count)
    #expect(second.takeMemory() == nil)
    #expect(try await second.finish().data == bytes)
    content = nil
    // Not even the announcement takes it for good; a body that is shorter has its bytes, and a longer one goes to a file.
    _ = arrived(bytes, announced: 100_000)
    #expect(arrived(bytes, announced: 100_000).takeMemory()?.data == bytes)
    let longer = arrived(bytes, announced: 50_000)
    #expect(longer.takeMemory() == nil)
    #expect(try await longer.finish().data == bytes)
    #expect(arrived(bytes, announced: 100_000).takeMemory() != nil)
  }

  @Test(
    "the memory that is kept for the next bodies is a quarter at most, and never beside a limit of bodies",
    arguments: 0..<4)
  func spareMemory(seed: Int) {
    let limit = 2 << 20
    let memory = HTTPBodyMemory(byteCount: limit)
    var random = SeededGenerator(seed: UInt64(seed))
    var bodies: [(data: Data, byte: UInt8)] = []
    var (refused, reused) = (0, 0)
    for number in 0..<600 {
      if Bool.random(using: &random), let index = bodies.indices.randomElement(using: &random) {
        let body = bodies.remove(at: index)
        #expect(body.data == Data(repeating: body.byte, count: body.data.count))
      } else {
        let spare = memory.byteCounts.spare
        let byteCount = Int.random(in: 1...400_000, using: &random)
        let byte = UInt8(truncatingIfNeeded: number)
        guard let part = memory.part(byteCount: byteCount) else {
          refused += 1
          continue
        }
        if memory.byteCounts.spare < spare { reused += 1 }
        let bytes = Data(repeating: byte, count: byteCount)
        #expect(
          bytes.withUnsafeBytes {
            part.append($0) && !part.append(UnsafeRawBufferPointer(rebasing: $0.prefix(1)))
          })
        bodies.append((part.data, byte))
      }
      let (used, spare) = memory.byteCounts
      #expect(used + spare <= limit && spare <= limit / 4 && used >= bodies.reduce(0) { $0 + $1.data.count })
    }
    bodies = []
    #expect(memory.byteCounts.used == 0 && refused > 0 && reused > 0)
  }

  @Test("the bytes that wait for a slow disk are bounded: the transfer pauses and is resumed")
  func backPressure() async throws {
    let spool = spool()
    let disk = DispatchSemaphore(value: 0)
    spool.enqueue { disk.wait() }
    let body = HTTPSpooledBody(spool: spool)
    let resumed = Gate()
    let resumption = HTTPBodyResumption { resumed.open() }
    let piece = patternedBytes(16 << 10)
    var pieceCount = 0
    while body.isReady(resumption) {
      piece.withUnsafeBytes { body.append($0) }
      pieceCount += 1
    }
    #expect(pieceCount == HTTPSpooledBody.maximumWaiting / piece.count + 1)
    disk.signal()
    try await resumed.pass()
    #expect(body.isReady(resumption))
    let content = try await body.finish()
    #expect(content.data == Data((0..<pieceCount).map { _ in piece }.joined()))
  }

  @Test("without a folder to write to it stays in memory")
  func noFolder() async throws {
    let fixture = CacheFixture {
      $0.spooling = HTTPSpoolingConfiguration(threshold: 10, directory: "/nonexistent/folder")
    }
    let body = patternedBytes(200_000)
    fixture.serve(.ok(body).inPieces(of: 10_000))
    #expect(try await fixture.get().body == body)
    let unnamed = CacheFixture { $0.spooling.threshold = 10 }
    unnamed.serve(.ok(body).inPieces(of: 10_000))
    #expect(try await unnamed.get().body == body)
  }

  #if os(Linux)
    @Test("if the disk becomes full, the bytes in the file are read back")
    func fullDisk() async {
      await #expect(processExitsWith: .success) {
        // A file may grow to 100,000 bytes: the write beyond that fails as on a full disk.
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit(rlim_cur: 100_000, rlim_max: 100_000)
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        let folder = try TemporaryFolder()
        let spool = HTTPBodySpool(threshold: 1000) { [path = folder.path] in path }
        let body = HTTPSpooledBody(spool: spool)
        let bytes = patternedBytes(700_000)
        for start in stride(from: 0, to: bytes.count, by: 30_011) {
          bytes.dropFirst(start).prefix(30_011).withUnsafeBytes { body.append($0) }
          if start == 0 { try await eventually(spool.openFileCount != 0) }
        }
        let content = try await body.finish()
        #expect(content.data == bytes)
        #expect(content.identity == HTTPBodyIdentity.of(bytes))
        #expect(spool.openFileCount == 0)
        withExtendedLifetime(folder) {}
      }
    }
  #endif

  @Test("files that a crash left are removed, other files stay")
  func sweeping() async throws {
    try folder.write("ozu-spool-1-abc")
    try folder.write("segment")
    let fixture = fixture()
    fixture.serve(.ok(patternedBytes(5000)))
    try await fixture.get()
    #expect(try folder.names() == ["segment"])
  }

  @Test("a body that was interrupted in a file is resumed")
  func resumption() async throws {
    let body = patternedBytes(60_000)
    let fixture = fixture()
    fixture.serve(
      FakeHTTPReply(headers: ["ETag": "\"1\""], body: body).inPieces(of: 1000)
        .failing(.connectionLost, afterByteCount: 40_000),
      FakeHTTPReply(
        status: 206, headers: ["ETag": "\"1\"", "Content-Range": "bytes 40000-59999/60000"],
        body: body.dropFirst(40_000)
      ).inPieces(of: 1000))
    await #expect(throws: HTTPError.self) { try await fixture.get() }
    let answer = try await fixture.get()
    #expect(fixture.sent["Range"] == "bytes=40000-")
    #expect(answer.body == body)
    #expect(answer.bodyIdentity == HTTPBodyIdentity.of(body))
  }

  @Test("a storage names the folder, unless the configuration does")
  func directories() async throws {
    let storage = FolderStorage(spoolDirectory: folder.path)
    let client = FakeHTTPClient()
    client.reply(to: CacheFixture.url, with: .ok(patternedBytes(5000)))
    var configuration = HTTPCacheConfiguration()
    configuration.spooling.threshold = 100
    let cache = HTTPCache(client: client, storage: storage, configuration: configuration)
    try folder.write("ozu-spool-1-abc")
    _ = try await cache.response(for: HTTPRequest(url: CacheFixture.url))
    #expect(try folder.names() == [])
  }
}

@Suite("The identity of bodies")
struct HTTPBodyIdentityTests {
  @Test(
    "the ends of pieces make no difference", arguments: [0, 1, 7, 8, 9, 31, 32, 100, 4096],
    [1, 3, 8, 13, 40, 64])
  func pieces(byteCount: Int, pieceByteCount: Int) {
    let body = patternedBytes(byteCount)
    var identity = HTTPBodyIdentity()
    for start in stride(from: 0, to: byteCount, by: pieceByteCount) {
      body.dropFirst(start).prefix(pieceByteCount).withUnsafeBytes { identity.update($0) }
    }
    #expect(identity.text == HTTPBodyIdentity.of(body))
  }

  // Computed independently, by the definition: numbers in base 36.
  @Test(
    "the identity of a body never changes, because stores contain it",
    arguments: [
      ("", "1xgrf36s01y6v-37zicjwrfve61-0"), ("abc", "ou2h1z6pez16-2r5ycclzmiwf1-3"),
      (String(repeating: "0123456789", count: 100), "2t7pvvo22vr5i-3u82qhead79up-rs"),
    ])
  func text(_ body: String, _ identity: String) {
    #expect(HTTPBodyIdentity.of(Data(body.utf8)) == identity)
  }

  @Test("a changed bit, a swapped word and an added zero give another identity")
  func differences() {
    let body = patternedBytes(64)
    var flipped = body
    flipped[40] ^= 1
    let swapped = body[8..<16] + body[0..<8] + body[16...]
    let all = [body, flipped, Data(swapped), body + [0], body.dropLast(), Data()]
    #expect(Set(all.map(HTTPBodyIdentity.of)).count == all.count)
  }
}

/// A storage that keeps nothing, with a folder.
private struct FolderStorage: HTTPCacheStorage {
  let spoolDirectory: String?

  func entries(for key: HTTPCacheKey) async -> [HTTPCacheEntry] { [] }
  func store(_ entry: HTTPCacheEntry, replacing old: HTTPStoredResponse?, for key: HTTPCacheKey) async {}
  func removeEntries(for key: HTTPCacheKey) async {}
}
