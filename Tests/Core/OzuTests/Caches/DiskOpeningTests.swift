import Foundation
import OzuBase
import OzuTesting
import Testing

@testable import Ozu

@Suite("The disk cache is opened once, outside all locks", .timeLimit(.minutes(15)))
struct DiskOpeningTests {
  private static func cache() throws(DiskCacheError) -> DiskCache {
    try DiskCache(directory: "/cache", configuration: DiskCacheConfiguration(fileSystem: MemoryFileSystem()))
  }

  @Test("a store that looks at an entry reads it once, so that metadata and body are those of one write")
  func peeking() throws {
    let files = MemoryFileSystem()
    let store = DiskStore(
      .opening { () throws(DiskCacheError) in
        try DiskCache(directory: "/cache", configuration: DiskCacheConfiguration(fileSystem: files))
      }
    ) { _ in }
    let key = ImageStoreKey(.rendition, CacheKey("a"))
    let entry = ImageStoreEntry(metadata: Data([1]), body: Data(repeating: 2, count: 100_000))
    try store.write(entry, for: key)
    store.flush()
    let reads = Shared(0)
    files.respond = { call in
      if call.operation == .read { reads.change { $0 += 1 } }
      return .proceed
    }
    #expect(store.read(key) == entry)
    let count = reads.value
    #expect(store.peek(key) == entry)
    #expect(count > 0 && reads.value == 2 * count)
  }

  @Test("what cannot be removed when the cache is emptied is not served any more", arguments: [false, true])
  func emptying(isInBackground: Bool) throws {
    let (files, errors) = (MemoryFileSystem(), Shared<[DiskCacheError]>([]))
    let store = DiskStore(
      .opening { () throws(DiskCacheError) in
        try DiskCache(directory: "/cache", configuration: DiskCacheConfiguration(fileSystem: files))
      }
    ) { error in errors.change { $0.append(error) } }
    let key = ImageStoreKey(.rendition, CacheKey("a"))
    try store.write(ImageStoreEntry(metadata: Data([1]), body: Data([2])), for: key)
    if isInBackground {
      store.cache?.suspend()
    } else {
      files.respond = { $0.operation == .remove ? .fail(EACCES) : .proceed }
    }
    try store.removeAll()
    #expect(store.read(key) == nil && errors.value.map(\.operation) == [isInBackground ? .change : .remove])
    store.cache?.resume()
    #expect(store.read(key) == nil)
  }

  @Test("a handler of disk errors may call the pipeline")
  func handler() throws {
    let reentry = Reentry()
    let errors = Shared(0)
    let pipeline = ImagePipeline {
      $0.network.httpClient = FakeHTTPClient()
      // A file has the name of the folder.
      $0.caching.diskStorage = .folder(URL(filePath: "/dev/null/nowhere"), capacity: 1 << 20)
      $0.caching.onDiskError = { _ in
        errors.change { $0 += 1 }
        reentry.call()
      }
    }
    reentry.pipeline.change { $0 = pipeline }
    defer { reentry.pipeline.change { $0 = nil } }
    #expect(pipeline.diskCache == nil)
    #expect(errors.value == 1)
    #expect(reentry.count == 1)
    #expect(pipeline.diskCache == nil)
    #expect(errors.value == 1)
  }

  @Test("an opening that fails for want of descriptors is repeated after a while, and nobody waits for it")
  func shortage() async throws {
    let (clock, hold) = (ManualClock(), Hold())
    let (calls, errors) = (Shared(0), Shared(0))
    let store = DiskStore(
      .opening { () throws(DiskCacheError) in
        calls.change { $0 += 1 }
        if calls.value < 3 { throw DiskCacheError(.list, path: "/cache", code: EMFILE) }
        hold.wait()
        return try Self.cache()
      }, onError: { _ in errors.change { $0 += 1 } }, now: clock.now)
    defer { hold.release() }
    let (level, listing) = (StoreLevel(store) { _ in }, StoreLevel(store) { _ in })
    let key = ImageStoreKey(.rendition, CacheKey("a"))
    let entry = ImageStoreEntry(metadata: Data(), body: Data([1]))
    #expect(store.cache == nil && !level.mayContain(key))
    // What is removed meanwhile, or written, is not found as it is on disk.
    level.remove(ImageStoreEntry.self, key)
    listing.removeListed(of: nil) { _ in false }
    store.setCapacity(1000, of: .rendition)
    #expect(calls.value == 1)
    // The next attempt fails too, and the one after it waits.
    func isOpening() -> Bool {
      clock.advance(by: DiskStore.pause)
      return store.cache == nil && hold.count == 1
    }
    try await eventually(isOpening())
    #expect(store.cache == nil && !store.mayContain(key))
    hold.release()
    try await eventually(store.cache != nil)
    #expect(calls.value == 3 && errors.value == 1)
    #expect(store.cache?.capacity(of: DiskCache.Partition(ImageStoreKind.rendition.name)) == 1000)
    #expect(level.hides(key) && listing.hides(key))
    level.write(ImageStoreEntry.self, key) { try $0.write(entry, for: key) }
    #expect(level.mayContain(key) && store.read(key) == entry)
  }

  @Test("a closure that opens the disk cache may call the pipeline, which has no disk cache yet")
  func closure() throws {
    let reentry = Reentry()
    let found = Shared<[Bool]>([])
    let pipeline = ImagePipeline {
      $0.network.httpClient = FakeHTTPClient()
      $0.caching.diskStorage = .opening { () throws(DiskCacheError) in
        reentry.call()
        found.change { $0.append(reentry.pipeline.value?.diskCache != nil) }
        return try Self.cache()
      }
    }
    reentry.pipeline.change { $0 = pipeline }
    defer { reentry.pipeline.change { $0 = nil } }
    let cache = try #require(pipeline.diskCache)
    #expect(found.value == [false])
    #expect(reentry.count == 1)
    #expect(pipeline.diskCache === cache)
  }

  @Test("one thread opens it, others wait for that thread, and calls that need no disk go on")
  func waiting() async throws {
    let calls = Shared(0)
    let hold = Hold()
    let pipeline = ImagePipeline {
      $0.network.httpClient = FakeHTTPClient()
      $0.caching.diskStorage = .opening { () throws(DiskCacheError) in
        calls.change { $0 += 1 }
        hold.wait()
        return try Self.cache()
      }
    }
    defer { hold.release() }
    let found = Shared<[ObjectIdentifier?]>([])
    for _ in 0..<4 {
      Thread.detachNewThread {
        let cache = pipeline.diskCache
        found.change { $0.append(cache.map(ObjectIdentifier.init)) }
      }
    }
    try await eventually(hold.count == 1)
    #expect(pipeline.statistics.diskEvictions == 0)
    let task = pipeline.task(for: Fixture.url("a.jpg"))
    #expect(pipeline.cachedImage(for: task.request) == nil)
    task.cancel()
    #expect(found.value.isEmpty)
    hold.release()
    try await eventually(found.value.count == 4)
    #expect(calls.value == 1)
    let cache = try #require(pipeline.diskCache)
    #expect(found.value.allSatisfy { $0 == ObjectIdentifier(cache) })
  }
}
