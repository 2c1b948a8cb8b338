import OzuTesting
import Testing

@testable import OzuCaching

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("Entries that are appended in pieces, and bodies that are read in place")
struct DiskCacheEditorTests {
  private func pieces(_ data: Data, of size: Int) -> [Data] {
    stride(from: 0, to: data.count, by: size).map { data[$0..<min(data.count, $0 + size)] }
  }

  private static func parts(_ fixture: Fixture) -> [String] {
    fixture.files.paths.filter { $0.hasSuffix(SpilledRecord.suffix) }
  }

  @Test(
    "the appended bytes are the entry after the commit", arguments: [0, 1, 1000, 30_000, 65_537, 400_000])
  func commit(length: Int) throws {
    let fixture = Fixture(capacity: 1 << 20)
    let cache = try fixture.open()
    let data = length == 0 ? Data() : body(1, count: max(16, length)).prefix(max(16, length))
    cache.store(body(9), forKey: key(1))
    let editor = cache.editor(forKey: key(1), metadata: Data([1, 2]), label: "pieces")
    for piece in pieces(data, of: 7001) { #expect(editor.append(piece)) }
    #expect(cache.entry(forKey: key(1))?.body == body(9))
    #expect(editor.commit())
    #expect(!editor.commit())
    #expect(!editor.append(data))
    for isReopened in [false, true] {
      let cache = isReopened ? try reopened(cache, fixture) : cache
      let entry = cache.entry(forKey: key(1))
      #expect(entry?.body == data)
      #expect(entry?.metadata == Data([1, 2]))
      #expect(entry?.label == "pieces")
      #expect(cache.count == 1)
      #expect(cache.totalByteCount == fixture.byteCount)
      #expect(cache.verify().isSound)
    }
    #expect(Self.parts(fixture).isEmpty)
  }

  private func reopened(_ cache: DiskCache, _ fixture: Fixture) throws -> DiskCache {
    cache.close()
    return try fixture.open()
  }

  @Test("an editor that aborts, or is released, leaves no trace", arguments: [1000, 300_000])
  func abort(length: Int) throws {
    let fixture = Fixture(capacity: 1 << 20)
    let cache = try fixture.open()
    cache.store(body(9), forKey: key(1))
    let editor = cache.editor(forKey: key(1))
    for piece in pieces(body(1, count: length), of: 9000) { editor.append(piece) }
    editor.abort()
    #expect(!editor.commit())
    _ = cache.editor(forKey: key(1)).append(body(2, count: length))
    #expect(cache.entry(forKey: key(1))?.body == body(9))
    #expect(Self.parts(fixture).isEmpty)
    #expect(cache.store(body(3, count: 300_000), forKey: key(3)))
  }

  @Test("the files of editors count towards the bound while they are written")
  func bound() throws {
    let fixture = Fixture(capacity: 600 << 10)
    let cache = try fixture.open()
    for number in 0..<60 { cache.store(body(number, count: 9000), forKey: key(number)) }
    let editor = cache.editor(forKey: key(100))
    for piece in pieces(body(100, count: 400_000), of: 20_000) {
      #expect(editor.append(piece))
      #expect(fixture.byteCount <= 600 << 10)
    }
    #expect(editor.commit())
    #expect(cache.totalByteCount <= 600 << 10)
    #expect(cache.entry(forKey: key(100))?.body == body(100, count: 400_000))
    let tooLong = cache.editor(forKey: key(101))
    #expect(!(0..<20).allSatisfy { _ in tooLong.append(body(1, count: 50_000)) })
    #expect(!tooLong.commit())
    #expect(Self.parts(fixture).isEmpty)
  }

  @Test("a crash at any call of an editor leaves the former entry or the new one")
  func crashes() throws {
    func run(_ fixture: Fixture) {
      guard let cache = try? fixture.open() else { return }
      cache.store(body(9), forKey: key(1))
      try? cache.flush()
      let editor = cache.editor(forKey: key(1))
      for piece in pieces(body(1, count: 200_000), of: 50_000) { editor.append(piece) }
      editor.commit()
    }
    let plain = Fixture(capacity: 1 << 20)
    run(plain)
    for number in 0..<plain.files.callCount {
      for torn in [0, 100] {
        let fixture = Fixture(capacity: 1 << 20)
        fixture.files.respond = { $0.number == number ? .crash(after: torn) : .proceed }
        run(fixture)
        fixture.files.restart(losing: .nothing)
        let cache = try fixture.open()
        if let found = cache.entry(forKey: key(1))?.body {
          #expect(found == body(9) || found == body(1, count: 200_000), "call \(number)")
        }
        #expect(Self.parts(fixture).isEmpty, "call \(number)")
        #expect(cache.totalByteCount == fixture.byteCount, "call \(number)")
        #expect(cache.verify().isSound, "call \(number)")
      }
    }
  }

  @Test("a full disk ends an editor; the cache continues to work")
  func fullDisk() throws {
    let fixture = Fixture(capacity: 1 << 20)
    let cache = try fixture.open()
    let editor = cache.editor(forKey: key(1))
    fixture.files.respond = {
      $0.operation == .write && $0.byteCount > 40_000 ? .stop(after: 10, ENOSPC) : .proceed
    }
    #expect(!editor.append(body(1, count: 100_000)))
    #expect(!editor.commit())
    #expect(Self.parts(fixture).isEmpty)
    #expect(cache.store(body(2), forKey: key(2)))
    #expect(fixture.errors.all.map(\.code) == [ENOSPC])
  }

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
