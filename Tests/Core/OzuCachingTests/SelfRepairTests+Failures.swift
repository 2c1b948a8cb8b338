import Foundation
import OzuBase
import OzuTesting
import Testing

@testable import OzuCaching

extension SelfRepairTests {
  @Test(
    "a lock that cannot be opened without permission is replaced", arguments: [EACCES, EISDIR, ENXIO])
  func unreadableLock(code: Int32) throws {
    let fixture = Fixture()
    let former = try fixture.open()
    former.store(body(1), forKey: key(1))
    former.close()
    let isReplaced = Flag()
    fixture.files.respond = { call in
      guard call.path == "/cache/lock" else { return .proceed }
      if call.operation == .remove { isReplaced.set() }
      return call.operation == .lock && !isReplaced.isSet ? .fail(code) : .proceed
    }
    let cache = try fixture.open()
    #expect(cache.statistics.isWriter)
    #expect(cache.store(body(2), forKey: key(2)))
    #expect(cache.entry(forKey: key(1))?.body == body(1))
    #expect(fixture.errors.all.isEmpty)
  }

  @Test("a lock that cannot be replaced is reported, and the first store that can take it writes")
  func unremovableLock() throws {
    let fixture = Fixture()
    let former = try fixture.open()
    former.store(body(1), forKey: key(1))
    former.close()
    fixture.files.respond = { call in
      call.path == "/cache/lock" && [.lock, .remove].contains(call.operation) ? .fail(EACCES) : .proceed
    }
    let refusal = DiskCacheError(.lock, path: "/cache/lock", code: EACCES)
    let cache = try fixture.open()
    #expect(!cache.statistics.isWriter)
    #expect(fixture.errors.all == [refusal])
    #expect(cache.entry(forKey: key(1))?.body == body(1))
    #expect(!cache.store(body(2), forKey: key(2)))
    #expect(throws: refusal) { try cache.removeAll() }
    fixture.files.respond = { _ in .proceed }
    #expect(cache.store(body(2), forKey: key(2)))
    #expect(cache.statistics.isWriter)
  }

  @Test("an index that cannot be opened is replaced at closing", arguments: [EACCES, EISDIR, ENXIO, EIO])
  func unreadableIndex(code: Int32) throws {
    let fixture = Fixture()
    let former = try fixture.open()
    for number in 0..<20 { former.store(body(number), forKey: key(number)) }
    former.close()
    fixture.files.respond = { call in
      call.path == Fixture.index && call.operation == .open ? .fail(code) : .proceed
    }
    let cache = try fixture.open()
    #expect(cache.statistics.isWriter)
    for number in 0..<20 { #expect(cache.entry(forKey: key(number))?.body == body(number)) }
    #expect(fixture.errors.all == [DiskCacheError(.open, path: Fixture.index, code: code)])
    cache.close()
    fixture.files.respond = { _ in .proceed }
    let again = try fixture.open()
    #expect(again.statistics.rebuiltIndexes == 0)
    #expect(again.count == 20)
  }
}
