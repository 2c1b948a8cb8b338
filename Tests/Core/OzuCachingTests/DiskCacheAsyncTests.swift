import Dispatch
import OzuBase
import OzuTesting
import Testing

@testable import OzuCaching

@Suite("The disk cache for asynchronous callers", .timeLimit(.minutes(15)))
struct DiskCacheAsyncTests {
  @Test("the asynchronous forms do the same")
  func asynchronous() async throws {
    let fixture = Fixture()
    let cache = try await DiskCache.open(
      directory: "/cache", configuration: DiskCacheConfiguration(fileSystem: fixture.files))
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<40 {
        group.addTask {
          #expect(await cache.store(body(number), metadata: Data([1]), forKey: key(number)))
          #expect(await cache.entry(forKey: key(number))?.body == body(number))
          #expect(await cache.metadata(forKey: key(number)) == Data([1]))
        }
      }
    }
    #expect(await cache.contains(key(3)))
    #expect(await cache.touch(key(3)))
    #expect(await !cache.touch(key(77)))
    #expect(await cache.store(body(77), forKey: key(77)))
    #expect(await cache.info(forKey: key(77))?.bodyByteCount == body(77).count)
    await cache.setCapacity(1, of: "another")
    await cache.setCapacity(32 << 20)
    #expect(cache.capacity == 32 << 20)
    #expect(await cache.remove(forKey: key(77)))
    #expect(await cache.remove(forKey: key(3)))
    #expect(await cache.remove(forKey: key(4), in: .default))
    #expect(cache.count == 38)
    #expect(await cache.verify().isSound)
    try await cache.flush()
    try await cache.trim(toByteCount: 4000)
    #expect(cache.totalByteCount <= 4000)
    try await cache.removeAll(in: .default)
    try await cache.removeAll()
    await cache.close()
    #expect(await cache.entry(forKey: key(1)) == nil)
  }

  @Test("entries are listed from the last used to the first, and the listing can stop")
  func listing() async throws {
    let fixture = Fixture()
    let cache = try fixture.open()
    for number in 0..<10 {
      fixture.clock.advance(by: .seconds(1))
      await cache.store(body(number), forKey: key(number), label: "\(number)")
    }
    var labels: [String] = []
    let calls = fixture.files.callCount
    for await entry in cache.entries().async {
      labels.append(entry.label ?? "")
      if labels.count == 3 { break }
    }
    #expect(labels == ["9", "8", "7"])
    #expect(fixture.files.callCount - calls == 3)
    await cache.remove(forKey: key(8))
    #expect(await cache.entries(in: .default).async.reduce(0) { count, _ in count + 1 } == 9)
  }

  @Test("a disk that hangs blocks no thread of Swift concurrency and no call that returns sizes")
  func hangingDisk() async throws {
    let fixture = Fixture(capacity: 1 << 20)
    let cache = try fixture.open()
    for number in 0..<100 { await cache.store(body(number), forKey: key(number)) }
    let mayGoOn = DispatchSemaphore(value: 0)
    let waiting = Counter()
    fixture.files.respond = { _ in
      waiting.add(1)
      mayGoOn.wait()
      mayGoOn.signal()
      return .proceed
    }
    // Far more than there are threads for tasks.
    let operations = (0..<100).map { number in
      Task {
        switch number % 4 {
        case 0: _ = await cache.store(body(number, version: 1), forKey: key(number))
        case 1: _ = await cache.entry(forKey: key(number))
        case 2: _ = await cache.metadata(forKey: key(number))
        default: _ = await cache.store(body(number, count: 100_000), forKey: key(number))
        }
      }
    }
    try await eventually(waiting.value > 0)
    let answers = await withTaskGroup(of: Int.self) { group in
      for number in 0..<100 { group.addTask { number + min(0, cache.statistics.totalByteCount) } }
      return await group.reduce(0, +)
    }
    #expect(answers == 4950)
    #expect(cache.capacity == 1 << 20)
    #expect(cache.statistics.isWriter)
    mayGoOn.signal()
    for operation in operations { await operation.value }
    #expect(await cache.verify().isSound)
  }

  @Test("a string literal is a key")
  func literals() throws {
    let cache = try Fixture().open()
    let page = 7
    cache.store(body(1), forKey: "home")
    cache.store(body(2), forKey: "page \(page)")
    #expect(cache.entry(forKey: CacheKey("home"))?.body == body(1))
    #expect(cache.entry(forKey: CacheKey("page " + "7"))?.body == body(2))
  }

  @Test("the statistics show the dead bytes, which stay within their bound")
  func amplification() throws {
    let cache = try Fixture(capacity: 4 << 20).open()
    #expect(cache.statistics.amplification == 1)
    var random = SeededGenerator(seed: 3)
    for step in 0..<3000 {
      let number = Int.random(in: 0..<300, using: &random)
      cache.store(body(number, version: step, count: 4000), forKey: key(number))
      if step > 1000 { #expect(cache.statistics.amplification <= 1.34) }
    }
    #expect(cache.statistics.amplification > 1)
  }
}
