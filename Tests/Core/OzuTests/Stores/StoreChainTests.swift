import Foundation
import OzuTesting
import Testing

@testable import Ozu

/// The chain of levels alone: its dropped writes, and its promotions.
@Suite("Stores: the chain of levels", .timeLimit(.minutes(15)))
struct StoreChainTests {
  private static let key = ImageStoreKey(.rendition, CacheKey("a"))

  private static func entry(_ text: String) -> ImageStoreEntry {
    ImageStoreEntry(metadata: Data("m".utf8), body: Data(text.utf8))
  }

  /// A store that implements only what it must.
  private struct Plain: ImageStoring {
    let store: MemoryImageStore

    func read(_ key: ImageStoreKey) throws -> ImageStoreEntry? { try store.read(key) }
    func write(_ entry: ImageStoreEntry, for key: ImageStoreKey) throws { try store.write(entry, for: key) }
    func remove(_ key: ImageStoreKey) throws { try store.remove(key) }
    func removeAll(of kind: ImageStoreKind) throws { try store.removeAll(of: kind) }
    func removeAll() throws { try store.removeAll() }
  }

  private let first = MemoryImageStore()
  private let far = MemoryImageStore()
  private let errors = Shared<[String]>([])

  private func chain(_ bounds: FurtherLevel.Bounds = FurtherLevel.Bounds()) -> StoreChain {
    let report: @Sendable (ImageStoreError) -> Void = { [errors] error in
      errors.change { $0.append(error.description) }
    }
    return StoreChain(
      first: StoreLevel(first, onError: report),
      further: [FurtherLevel(StoreLevel(far, onError: report), bounds: bounds, readLimit: .seconds(600))])
  }

  private func settle(_ chain: StoreChain) async {
    await withCheckedContinuation { continuation in chain.flushFurther { continuation.resume() } }
  }

  @Test("a full queue drops writes, counts them, and removes the old entry of the key")
  func bounds() async throws {
    let hold = Hold()
    let chain = chain(FurtherLevel.Bounds(byteCount: 1000, changeCount: 3))
    let keys = (0..<6).map { ImageStoreKey(.original, CacheKey("\($0)")) }
    far[keys[5]] = Self.entry("out of date")
    far.respond = { call in
      if call.operation == .write { hold.wait() }
    }
    for key in keys { chain.write(Self.entry("new"), for: key) }
    #expect(chain.droppedWriteCount == 3)
    #expect(chain.readFurther(ImageStoreEntry.self, keys[5]) == nil)
    hold.release()
    await settle(chain)
    for (number, key) in keys.enumerated() {
      #expect(far[key] == (number < 3 ? Self.entry("new") : nil))
      #expect(first[key] == Self.entry("new"))
    }
    #expect(errors.value == ["write MemoryImageStore: too many operations wait for it"])
  }

  @Test("waiting bytes are bounded too, but a single large entry is accepted")
  func byteBound() async throws {
    let hold = Hold()
    let chain = chain(FurtherLevel.Bounds(byteCount: 10))
    far.respond = { _ in hold.wait() }
    for name in ["a", "b"] {
      chain.write(Self.entry("more than ten bytes"), for: ImageStoreKey(.original, CacheKey(name)))
    }
    #expect(chain.droppedWriteCount == 1)
    hold.release()
    await settle(chain)
    #expect(far.count(of: .original) == 1)
  }

  @Test("a level for which too many removals wait is not used any more, because it may have removed entries")
  func givenUp() async throws {
    let hold = Hold()
    let chain = chain(FurtherLevel.Bounds(removalLimit: 4))
    let keys = (0..<6).map { ImageStoreKey(.original, CacheKey("\($0)")) }
    for key in keys { far[key] = Self.entry("old") }
    far.respond = { _ in hold.wait() }
    for key in keys { chain.remove(ImageStoreEntry.self, key) }
    hold.release()
    await settle(chain)
    #expect(far[keys[5]] != nil)
    #expect(!chain.mayContain(keys[5]))
    #expect(chain.readFurther(ImageStoreEntry.self, keys[5]) == nil)
    #expect(errors.value == ["remove MemoryImageStore: too many operations wait for it"])
  }

  @Test("an old entry is not read while a newer one waits to be written")
  func pendingWrite() async throws {
    let hold = Hold()
    let chain = chain()
    far[Self.key] = Self.entry("former")
    far.respond = { call in
      if call.operation == .write { hold.wait() }
    }
    chain.write(Self.entry("later"), for: Self.key)
    first[Self.key] = nil
    #expect(chain.readFurther(ImageStoreEntry.self, Self.key) == nil)
    hold.release()
    await settle(chain)
    #expect(chain.readFurther(ImageStoreEntry.self, Self.key) == Self.entry("later"))
  }

  @Test("a failed write leaves no entry", arguments: [true, false])
  func failedWrite(isFirst: Bool) async throws {
    let chain = chain()
    let store = isFirst ? first : far
    store[Self.key] = Self.entry("former")
    store.respond = { call in
      if call.operation == .write { throw CancellationError() }
    }
    chain.write(Self.entry("later"), for: Self.key)
    await settle(chain)
    #expect(store[Self.key] == nil)
    #expect((isFirst ? far : first)[Self.key] == Self.entry("later"))
  }

  @Test(
    "an entry that could not be removed is not read, until it is written or removed",
    arguments: [true, false])
  func failedRemoval(isFirst: Bool) async throws {
    let chain = chain()
    let store = isFirst ? first : far
    let other = ImageStoreKey(.rendition, CacheKey("b"))
    func read(_ key: ImageStoreKey) async -> ImageStoreEntry? {
      await settle(chain)
      return isFirst
        ? chain.readFirst(ImageStoreEntry.self, key) : chain.readFurther(ImageStoreEntry.self, key)
    }
    store[Self.key] = Self.entry("a")
    store[other] = Self.entry("b")
    store.respond = { call in
      if [.remove, .removeAll].contains(call.operation) { throw CancellationError() }
    }
    chain.remove(ImageStoreEntry.self, Self.key)
    #expect(await read(Self.key) == nil)
    #expect(!chain.mayContain(Self.key))
    #expect(await read(other) == Self.entry("b"))
    chain.removeAll(of: .rendition)
    #expect(await read(other) == nil)
    store.respond = { _ in }
    chain.removeAll(of: .original)
    #expect(await read(other) == nil)
    chain.removeAll(of: .rendition)
    for entry in [Self.entry("1"), Self.entry("2")] {
      chain.write(entry, for: Self.key)
      #expect(await read(Self.key) == entry)
    }
    store.respond = { call in
      if call.operation == .removeAll { throw CancellationError() }
    }
    chain.removeAll(of: nil)
    #expect(await read(Self.key) == nil)
    store.respond = { _ in }
    chain.removeAll(of: nil)
    chain.write(Self.entry("3"), for: Self.key)
    #expect(await read(Self.key) == Self.entry("3"))
  }

  @Test("if thousands of entries of a kind cannot be removed, none of the kind is read until all are removed")
  func manyFailedRemovals() {
    let chain = chain()
    let original = ImageStoreKey(.original, CacheKey("a"))
    for key in [Self.key, original] { first[key] = Self.entry("a") }
    first.respond = { call in
      if call.operation == .remove { throw CancellationError() }
    }
    func remove(_ number: Int) {
      chain.remove(ImageStoreEntry.self, ImageStoreKey(.rendition, CacheKey("\(number)")), .first)
    }
    for number in 1...StoreLevel.hiddenKeyLimit { remove(number) }
    #expect(chain.mayContain(Self.key))
    remove(0)
    #expect(!chain.mayContain(Self.key))
    #expect(chain.readFirst(ImageStoreEntry.self, Self.key) == nil)
    #expect(chain.readFirst(ImageStoreEntry.self, original) == Self.entry("a"))
    chain.removeAll(of: .rendition)
    chain.write(Self.entry("b"), for: Self.key)
    #expect(chain.readFirst(ImageStoreEntry.self, Self.key) == Self.entry("b"))
  }

  enum Change: CaseIterable {
    case removal, removalOfAll, removalOfKind, removalOfListed, write
  }

  @Test(
    "a promotion neither brings back a removed entry, nor replaces a later one",
    arguments: [MemoryImageStore.Call.Operation.contains, .write], Change.allCases)
  func promotion(heldAt operation: MemoryImageStore.Call.Operation, change: Change) async throws {
    let (hold, chain) = (Hold(), chain())
    far[Self.key] = Self.entry("former")
    let isHeld = Shared(true)
    first.respond = { call in
      if call.operation == operation,
        isHeld.change({ isHeld in
          defer { isHeld = false }
          return isHeld
        })
      {
        hold.wait()
      }
    }
    #expect(chain.readFurther(ImageStoreEntry.self, Self.key) == Self.entry("former"))
    try await eventually(hold.count == 1)
    switch change {
    case .removal: chain.remove(ImageStoreEntry.self, Self.key)
    case .removalOfAll: chain.removeAll(of: nil)
    case .removalOfKind: chain.removeAll(of: .rendition)
    case .removalOfListed: chain.removeListed { $0 == Self.key }
    case .write: chain.write(Self.entry("later"), for: Self.key)
    }
    hold.release()
    await settle(chain)
    #expect(first[Self.key] == nil || first[Self.key] == Self.entry("later"))
    #expect(far[Self.key] == (change == .write ? Self.entry("later") : nil))
  }

  @Test("a touch goes to all levels, and returns whether the first has the entry")
  func touches() async throws {
    let chain = chain()
    far[Self.key] = Self.entry("a")
    #expect(!chain.touch(Self.key))
    first[Self.key] = Self.entry("a")
    #expect(chain.touch(Self.key))
    await settle(chain)
    #expect(far.callCount(.touch) == 2)
    #expect(chain.mayContain(Self.key))
  }

  @Test("a store that marks no uses is not read for them as a further level, and seldom as the first one")
  func touchesOfPlainStores() async {
    let clock = ManualClock()
    let level = FurtherLevel(StoreLevel(Plain(store: far)) { _ in }, readLimit: .seconds(600))
    let chain = StoreChain(
      first: StoreLevel(Plain(store: first)) { _ in }, further: [level], now: clock.now)
    first[Self.key] = Self.entry("a")
    far[Self.key] = Self.entry("a")
    for _ in 0..<3 { #expect(chain.touch(Self.key)) }
    await settle(chain)
    #expect(first.callCount(.read) == 1 && far.callCount(.read) == 0)
    // An entry that has been evicted is missed after a while.
    first[Self.key] = nil
    #expect(chain.touch(Self.key))
    clock.advance(by: StoreChain.checkPause)
    #expect(!chain.touch(Self.key))
  }
}
