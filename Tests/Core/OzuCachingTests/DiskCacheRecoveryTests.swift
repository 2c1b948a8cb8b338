import OzuBase
import OzuTesting
import Testing

@testable import OzuCaching

@Suite("Crashes and damage")
struct DiskCacheRecoveryTests {
  /// All bodies that were ever stored under each key, and the entries that must still be there.
  private struct History {
    var stored: [Int: Set<Data>] = [:]
    /// The entry as of the last flush that succeeded, unless an operation on the key began since.
    var certain: [Int: Data] = [:]
  }

  /// Stores, overwrites, removes, evicts, compacts and flushes; ends early when the file system crashes.
  private func scenario(_ fixture: Fixture, seed: UInt64) throws -> History {
    var random = SeededGenerator(seed: seed)
    var history = History()
    guard let cache = try? fixture.open() else { return history }
    var current: [Int: Data] = [:]
    for step in 0..<60 where !fixture.files.hasCrashed {
      let number = Int.random(in: 0..<12, using: &random)
      history.certain[number] = nil
      switch step % 10 {
      case 3:
        current[number] = nil
        cache.remove(forKey: key(number))
      case 6:
        _ = cache.entry(forKey: key(number))
      case 9:
        let before = current
        if (try? cache.flush()) != nil { history.certain = before }
      default:
        let data = body(number, version: step, count: Int.random(in: 100..<1500, using: &random))
        history.stored[number, default: []].insert(data)
        current[number] = cache.store(data, forKey: key(number)) ? data : nil
      }
    }
    // Entries that the scenario's own evictions removed are not certain.
    history.certain = history.certain.filter { cache.contains(key($0.key)) || fixture.files.hasCrashed }
    return history
  }

  private func check(_ fixture: Fixture, _ history: History, keepsCertain: Bool, _ place: Comment) throws {
    let cache = try fixture.open()
    for number in 0..<12 {
      let found = cache.entry(forKey: key(number))?.body
      if let found { #expect(history.stored[number]?.contains(found) == true, place) }
      if keepsCertain, let certain = history.certain[number] { #expect(found == certain, place) }
    }
    #expect(cache.totalByteCount <= fixture.capacity, place)
    #expect(cache.totalByteCount == fixture.byteCount, place)
    // It works as usual.
    for number in 0..<12 {
      #expect(cache.store(body(number, version: 999), forKey: key(number)), place)
    }
    cache.close()
    let again = try fixture.open()
    for number in 0..<12 {
      let found = again.entry(forKey: key(number))?.body
      // A small cache may have evicted some entries, but not the last one.
      if found != nil || number == 11 || keepsCertain {
        #expect(found == body(number, version: 999), place)
      }
    }
    #expect(again.verify().isSound, place)
  }

  @Test(
    "after a crash at any call, only stored entries are served, and flushed entries are kept",
    arguments: [
      (Durability.buffered, MemoryFileSystem.Loss.nothing), (.synced, .unsynchronized),
      (.buffered, .unsynchronized),
    ])
  func crashEverywhere(durability: Durability, loss: MemoryFileSystem.Loss) throws {
    let plain = Fixture(capacity: 1 << 20, durability: durability)
    _ = try scenario(plain, seed: 1)
    let callCount = plain.files.callCount
    #expect(callCount > 80)
    for number in 0..<callCount {
      // One of them after each call, or all.
      for torn in Cases.areAll ? [0, 50, 97, 300] : [[0, 50, 97, 300][number % 4]] {
        // Eviction is free to take flushed entries, so durability is judged in a cache that is never full.
        let fixture = Fixture(capacity: 1 << 20, durability: durability)
        let kind = ResponseLog()
        fixture.files.respond = { call in
          guard call.number == number else { return .proceed }
          kind.add(call.operation)
          return .crash(after: torn)
        }
        let history = try scenario(fixture, seed: 1)
        fixture.files.restart(losing: loss)
        try check(
          fixture, history, keepsCertain: durability == .synced || loss == .nothing,
          "call \(number), torn after \(torn)")
        if kind.last != .write { break }
      }
    }
  }

  @Test("after a crash at any call of a full cache, only stored entries are served")
  func crashWhileFull() throws {
    for capacity in [6 << 10, 12 << 10] {
      let plain = Fixture(capacity: capacity)
      _ = try scenario(plain, seed: 2)
      for number in 0..<plain.files.callCount {
        for torn in Cases.areAll ? [0, 97] : [97 * (number % 2)] {
          let fixture = Fixture(capacity: capacity)
          fixture.files.respond = { $0.number == number ? .crash(after: torn) : .proceed }
          let history = try scenario(fixture, seed: 2)
          fixture.files.restart(losing: .nothing)
          try check(fixture, history, keepsCertain: false, "call \(number), capacity \(capacity)")
        }
      }
    }
  }

  @Test(
    "the cache works after a failure at any call of a scenario",
    arguments: Cases.every(2, of: [ENOSPC, EDQUOT, EIO, EACCES]))
  func failEverywhere(code: Int32) throws {
    let plain = Fixture(capacity: 12 << 10)
    _ = try scenario(plain, seed: 3)
    for number in 0..<plain.files.callCount {
      let fixture = Fixture(capacity: 12 << 10)
      fixture.files.respond = { call in
        call.number == number ? (call.operation == .write ? .stop(after: 60, code) : .fail(code)) : .proceed
      }
      let history = try scenario(fixture, seed: 3)
      fixture.files.respond = { _ in .proceed }
      try check(fixture, history, keepsCertain: false, "call \(number)")
    }
  }
}

/// The operation that was made to fail.
final class ResponseLog: Sendable {
  private let operations = ErrorList()
  func add(_ operation: DiskCacheError.Operation) {
    operations.add(DiskCacheError(operation, path: "", code: 0))
  }
  var last: DiskCacheError.Operation? { operations.all.last?.operation }
}
