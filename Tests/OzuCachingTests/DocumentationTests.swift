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

  @Test("in pieces")
  func pieces() throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("pieces-\(UUID())")
    defer { try? FileManager.default.removeItem(at: directory) }
    let cache = try DiskCache(directory: directory)
    let editor = cache.editor(forKey: CacheKey("long"), label: "a long text")
    for _ in 0..<100 { editor.append(Data(repeating: 46, count: 4096)) }
    editor.commit()
    let dots = cache.withBody(of: CacheKey("long")) { bytes, _ in bytes.reduce(0) { $0 + ($1 == 46 ? 1 : 0) }
    }
    #expect(dots == 409_600)
    cache.close()
  }
}
