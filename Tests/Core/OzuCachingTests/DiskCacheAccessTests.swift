import Dispatch
import OzuBase
import OzuTesting
import Testing

@testable import OzuCaching

@Suite("Caches that only read, and changes that cannot be made")
struct DiskCacheAccessTests {
  private func filled() throws -> Fixture {
    let fixture = Fixture(capacity: 256 << 10)
    let cache = try fixture.open()
    for number in 0..<60 { cache.store(body(number, count: 3000), forKey: key(number)) }
    cache.close()
    return fixture
  }

  private func reading(_ fixture: Fixture, capacity: Int = 1000) throws -> DiskCache {
    try DiskCache(
      directory: "/cache",
      configuration: DiskCacheConfiguration(capacity: capacity, access: .reading, fileSystem: fixture.files) {
        $0.refreshInterval = 0
        $0.now = fixture.clock.date
      })
  }

  @Test(
    "a cache that is opened for reading changes nothing, whatever is called", arguments: [true, false])
  func changesNothing(withIndex: Bool) throws {
    let fixture = try filled()
    if !withIndex { fixture.forgetIndex() }
    // A file of a former version, a torn end, a segment with wrong content and a damaged entry: a writer would repair these.
    fixture.files.setContents(of: "/cache/0000000000000009-0000000000000009.segment.part", to: Data([1]))
    fixture.files.setContents(of: "/cache/0000000000000009-0000000000000009.segment", to: Data([1]))
    let path = try #require(fixture.segments.first { !$0.contains("9-0") })
    var bytes = try #require(fixture.files.contents(of: path))
    bytes[bytes.count / 2] ^= 1
    fixture.files.setContents(of: path, to: bytes + Data([1, 2, 3]))
    let before = fixture.files.paths.map { ($0, fixture.files.contents(of: $0)) }
    let changing = Counter()
    fixture.files.respond = { call in
      if ![.list, .open, .read, .size].contains(call.operation) { changing.add(1) }
      return .proceed
    }
    let cache = try reading(fixture)
    #expect(cache.count == 60)
    #expect((0..<60).count { cache.entry(forKey: key($0))?.body == body($0, count: 3000) } == 59)
    #expect(!cache.store(body(1), forKey: key(1)))
    #expect(!cache.remove(forKey: key(2)))
    #expect(!cache.updateMetadata(Data([1]), forKey: key(3)))
    #expect(!cache.store(body(4, count: 200_000), forKey: key(4)))
    cache.setCapacity(1)
    #expect(!cache.verify().isSound)
    try cache.flush()
    let refusal = DiskCacheError(.change, path: "/cache", code: EROFS)
    #expect(throws: refusal) { try cache.removeAll() }
    #expect(throws: refusal) { try cache.removeAll(in: .default) }
    #expect(throws: refusal) { try cache.trim(toByteCount: 0) }
    cache.close()
    #expect(changing.value == 0)
    #expect(fixture.files.paths == before.map(\.0))
    for (path, bytes) in before { #expect(fixture.files.contents(of: path) == bytes) }
    #expect(refusal.description == "change /cache: it was opened to be read only")
  }

  @Test("a missing directory is an error and is not made")
  func absent() throws {
    let fixture = Fixture()
    #expect(throws: DiskCacheError(.list, path: "/cache", code: ENOENT)) { try reading(fixture) }
    #expect(fixture.files.paths.isEmpty)
  }

  @Test("a cache that only reads sees the writer's entries, and does not prevent writing")
  func besideAWriter() throws {
    let fixture = try filled()
    let reader = try reading(fixture)
    let writer = try fixture.open()
    #expect(writer.statistics.isWriter)
    #expect(writer.store(body(100), forKey: key(100)))
    #expect(reader.entry(forKey: key(100))?.body == body(100))
  }

  @Test("emptying and trimming fail when another process writes, with this reason")
  func anotherWrites() throws {
    let fixture = try filled()
    let writer = try fixture.open()
    let reader = try fixture.open()
    let refusal = DiskCacheError(.change, path: "/cache", code: EBUSY)
    #expect(throws: refusal) { try reader.removeAll() }
    #expect(throws: refusal) { try reader.removeAll(in: .default) }
    #expect(throws: refusal) { try reader.trim(toByteCount: 0) }
    #expect(reader.statistics.dropped == 3)
    #expect(refusal.description == "change /cache: another cache, here or in another process, writes to it")
    #expect(writer.count == 60)
    writer.close()
    try reader.removeAll()
    #expect(fixture.segments.isEmpty)
  }

  @Test("emptying and trimming fail on a medium that cannot be written to, and in a closed cache")
  func readOnlyMedium() throws {
    let fixture = try filled()
    fixture.files.respond = { $0.operation == .lock ? .fail(EROFS) : .proceed }
    let cache = try fixture.open()
    #expect(throws: DiskCacheError(.lock, path: "/cache/lock", code: EROFS)) { try cache.removeAll() }
    #expect(throws: DiskCacheError(.lock, path: "/cache/lock", code: EROFS)) {
      try cache.trim(toByteCount: 0)
    }
    cache.close()
    #expect(throws: DiskCacheError(.change, path: "/cache", code: EBADF)) { try cache.removeAll() }
  }

  @Test("a lookup does not wait for writes, whether the key has an entry or not")
  func asksWithoutWaiting() throws {
    let fixture = try filled()
    let cache = try fixture.open()
    let store = HeldStore(200, in: cache, of: fixture)
    let answers = Mutex<[Bool]>([])
    let hasAnswered = DispatchSemaphore(value: 0)
    DispatchQueue(label: "questions").async {
      let given = [
        cache.contains(key(1)), cache.touch(key(1)), cache.entry(forKey: key(1)) != nil,
        !cache.contains(key(500)),
        !cache.touch(key(500)), cache.entry(forKey: key(500)) == nil, cache.metadata(forKey: key(500)) == nil,
      ]
      answers.withLock { $0 = given }
      hasAnswered.signal()
    }
    // The write is held until the answers are there. The time limit only ends a test that fails.
    #expect(hasAnswered.wait(timeout: .now() + 30) == .success)
    store.release()
    if answers.withLock({ $0.isEmpty }) { hasAnswered.wait() }
    #expect(answers.withLock { $0 } == Array(repeating: true, count: 7))
  }

  @Test("a fetch whose entry is removed while it reads does not wait for the next write")
  func removedWhileRead() throws {
    let fixture = try filled()
    let cache = try fixture.open()
    let (isHeld, mayEnd, hasAnswered) = (
      DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )
    let (isRead, isMiss) = (Flag(), Flag())
    fixture.files.respond = { call in
      guard call.operation == .read, call.path.hasSuffix(".segment"), !isRead.isSet else { return .proceed }
      isRead.set()
      cache.remove(forKey: key(1))
      DispatchQueue(label: "held write").async {
        cache.store.write { _ in
          isHeld.signal()
          mayEnd.wait()
        }
      }
      isHeld.wait()
      return .proceed
    }
    DispatchQueue(label: "fetch").async {
      if cache.entry(forKey: key(1)) == nil { isMiss.set() }
      hasAnswered.signal()
    }
    // The time limit only ends a test that fails.
    let isInTime = hasAnswered.wait(timeout: .now() + 30) == .success
    mayEnd.signal()
    if !isInTime { hasAnswered.wait() }
    fixture.files.respond = { _ in .proceed }
    #expect(isInTime && isRead.isSet && isMiss.isSet)
  }
}
