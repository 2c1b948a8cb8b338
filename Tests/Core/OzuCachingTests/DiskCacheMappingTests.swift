import OzuTesting
import Testing

@testable import OzuCaching

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite("Bodies that are read in place")
struct DiskCacheMappingTests {
  @Test("a body can be read in place, in files and in memory", arguments: [true, false])
  func inPlace(isReal: Bool) throws {
    let fixture = Fixture(capacity: 4 << 20)
    let directory = FileManager.default.temporaryDirectory.path + "/ozu-map-\(UInt64.random(in: 0 ... .max))"
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let cache =
      isReal
      ? try DiskCache(directory: directory, configuration: DiskCacheConfiguration(capacity: 4 << 20))
      : try fixture.open()
    for number in 0..<100 {
      cache.store(body(number, count: 30_000), metadata: Data([7]), forKey: key(number))
      let isSame = cache.withBody(of: key(number)) { bytes, metadata in
        bytes.elementsEqual(body(number, count: 30_000)) && metadata == Data([7])
      }
      #expect(isSame == true)
    }
    #expect(cache.withBody(of: key(500)) { _, _ in true } == nil)
    // A body that is removed meanwhile stays readable.
    let isSame = try cache.withBody(of: key(99)) { bytes, _ in
      try cache.removeAll()
      return bytes.elementsEqual(body(99, count: 30_000))
    }
    #expect(isSame == true)
    #expect(cache.withBody(of: key(99)) { _, _ in true } == nil)
    #expect(cache.statistics.hits == 101)
  }
}
