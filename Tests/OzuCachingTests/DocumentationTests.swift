import Foundation
import OzuCaching
import Testing

/// The samples of the module's page, as they are printed there.
@Suite("The page's samples")
struct DocumentationTests {
  @Test("in memory")
  func memory() {
    let pages = MemoryCache<String, [UInt8]>(MemoryCacheConfiguration(costLimit: 1 << 20))
    let page = [UInt8](repeating: 42, count: 4096)
    pages.insert(page, forKey: "home", cost: page.count, lifetime: .seconds(60))
    #expect(pages.value(forKey: "home")?.count == 4096)
    #expect(pages.statistics.hits == 1)
  }

  @Test("on disk")
  func disk() throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("greetings-\(UUID())")
    defer { try? FileManager.default.removeItem(at: directory) }
    let cache = try DiskCache(directory: directory, configuration: DiskCacheConfiguration(capacity: 64 << 20))
    cache.store(Data("hello".utf8), forKey: CacheKey("en"), in: "words", label: "English")
    try cache.flush()
    #expect(cache.entries(in: "words").map { "\($0.label ?? "") \($0.bodyByteCount)" } == ["English 5"])
    let entry = try #require(cache.fetch(CacheKey("en"), in: "words"))
    #expect(String(decoding: entry.body, as: UTF8.self) == "hello")
  }
}
