import Foundation
import OzuTesting
import Testing

@testable import OzuHTTP

@Suite("The storage in memory")
struct InMemoryHTTPCacheStorageTests {
  @Test("the removed key is the one at the end of a list in order of use", arguments: [1, 2, 3])
  func model(seed: UInt64) async {
    var random = SeededGenerator(seed: seed)
    let limit = 20_000
    let storage = InMemoryHTTPCacheStorage(byteLimit: limit)
    // The least recently used first.
    var model: [(key: HTTPCacheKey, byteCount: Int)] = []
    let keys = (0..<40).map { HTTPCacheKey(HTTPRequest(url: url("https://example.com/\($0)"))) }
    for _ in 0..<3000 {
      let key = keys[Int.random(in: keys.indices, using: &random)]
      let place = model.firstIndex { $0.key == key }
      switch Int.random(in: 0..<10, using: &random) {
      case 0:
        await storage.removeEntries(for: key)
        if let place { model.remove(at: place) }
      case 1...4:
        #expect(await storage.entries(for: key).count == (place == nil ? 0 : 1))
        if let place { model.append(model.remove(at: place)) }
      default:
        let count = Int.random(in: 0..<5000, using: &random)
        let entry = HTTPCacheEntry(response: storedResponse([:]), body: Data(count: count))
        await storage.store(entry, replacing: nil, for: key)
        if let place { model.remove(at: place) }
        model.append((key, count + 1024))
        while model.reduce(0, { $0 + $1.byteCount }) > limit { model.removeFirst() }
      }
      #expect(storage.byteCount == model.reduce(0) { $0 + $1.byteCount })
    }
    for key in keys {
      #expect(await storage.entries(for: key).isEmpty == !model.contains { $0.key == key })
    }
  }

  @Test("long heads count with their bytes: an origin may send 256 KB of them with each small body")
  func longHeads() async {
    let storage = InMemoryHTTPCacheStorage(byteLimit: 10_000)
    for number in 0..<5 {
      let response = storedResponse(["X-A": String(repeating: "a", count: 4000)])
      await storage.store(
        HTTPCacheEntry(response: response, body: Data(count: 10)), replacing: nil,
        for: HTTPCacheKey(HTTPRequest(url: url("https://example.com/\(number)"))))
    }
    #expect((8000...10_000).contains(storage.byteCount))
  }

  @Test(
    "of two answers the one asked for later stays, whichever arrives last; not one from a clock that was set back",
    arguments: [(9.0, 15.0, false), (9, 9.5, true), (11, 13, true)])
  func order(asked: Double, answered: Double, isStored: Bool) async {
    let storage = InMemoryHTTPCacheStorage()
    let key = HTTPCacheKey(HTTPRequest(url: url("https://example.com/a")))
    let answers: [(String, Double, Double)] = [("there", 10, 12), ("other", asked, answered)]
    for (body, asked, answered) in answers {
      var response = storedResponse([:])
      response.requestDate = noon.addingTimeInterval(asked)
      response.responseDate = noon.addingTimeInterval(answered)
      await storage.store(
        HTTPCacheEntry(response: response, body: Data(body.utf8)), replacing: nil, for: key)
    }
    let kept = await storage.entries(for: key).map { String(decoding: $0.body, as: UTF8.self) }
    #expect(kept == [isStored ? "other" : "there"])
  }

  @Test("of the variants of one key that do not fit together, the newest stays, and no beginning beside it")
  func newest() async throws {
    let storage = InMemoryHTTPCacheStorage(byteLimit: 4000)
    let key = HTTPCacheKey(HTTPRequest(url: url("https://example.com/a")))
    for language in ["en", "de", "fr"] {
      var response = storedResponse(["Vary": "Accept-Language"])
      response.selectingHeaders = ["Accept-Language": language]
      await storage.store(
        HTTPCacheEntry(response: response, body: Data(count: 1000)), replacing: nil, for: key)
    }
    let kept = await storage.entries(for: key)
    #expect(kept.map(\.response.selectingHeaders) == [["Accept-Language": "fr"]])
    let response = storedResponse(["ETag": "\"1\""])
    await storage.setPartialBody(
      HTTPPartialBody(response: response, body: Data(count: 2000)), for: key)
    #expect(await storage.partialBody(for: key) == nil)
    #expect(storage.byteCount == 2024)
  }
}
