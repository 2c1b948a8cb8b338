import OzuBase
import OzuCaching
import OzuTesting
import Testing

@Suite("States of a disk after a loss of power")
struct PowerLossStatesTests {
  private let files: MemoryFileSystem

  init() throws {
    files = MemoryFileSystem(recordsChanges: true)
    try files.makeDirectory("/d")
  }

  private func make(_ path: String, _ bytes: Data) throws -> any OpenFile {
    let file = try files.open(path, for: .creating)
    try write(bytes, at: 0, to: file)
    return file
  }

  private func write(_ bytes: Data, at offset: Int, to file: any OpenFile) throws {
    var failure: DiskCacheError?
    bytes.withUnsafeBytes { bytes in
      do throws(DiskCacheError) { try file.write([bytes], at: offset) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  /// The contents of all states after everything.
  private func ends(_ samples: Int) throws -> [[String: Data]] {
    let log = try #require(files.log)
    return log.states(ofPrefixes: [log.operations.count], samplesPerPrefix: samples, seed: 7).map(\.contents)
  }

  private func sectors(_ letters: String) -> Data {
    Data(letters.utf8.flatMap { [UInt8](repeating: $0, count: 512) })
  }

  @Test("synchronized bytes are in every state after their name is synchronized too")
  func synchronized() throws {
    let file = try make("/d/a", sectors("ab"))
    try file.synchronize()
    #expect(try Set(ends(50).map { $0["/d/a"] }) == [nil, sectors("ab")])
    try files.synchronizeDirectory("/d")
    #expect(try Set(ends(50).map { $0["/d/a"] }) == [sectors("ab")])
  }

  @Test(
    "a file with a synchronized name has any part of its unsynchronized bytes: whole sectors, with zeros for missing ones"
  )
  func torn() throws {
    let file = try make("/d/a", Data())
    try files.synchronizeDirectory("/d")
    try write(sectors("abc"), at: 0, to: file)
    let found = try Set(ends(400).map { $0["/d/a"] ?? Data([1]) })
    let zero = Character(UnicodeScalar(0))
    for bytes in found where !bytes.isEmpty {
      let letters = stride(from: 0, to: bytes.count, by: 512).map {
        Character(UnicodeScalar(bytes[bytes.startIndex + $0]))
      }
      #expect(bytes == sectors(String(letters)))
      for (letter, written) in zip(letters, "abc") { #expect([zero, written].contains(letter)) }
    }
    // No sector, and every subset of three sectors.
    #expect(found.count == 9)
  }

  @Test("a sector has the content after one of several writes, and no mixture")
  func sectorVersions() throws {
    let file = try make("/d/a", sectors("aa"))
    try file.synchronize()
    try files.synchronizeDirectory("/d")
    try write(Data("xy".utf8), at: 511, to: file)
    try write(Data("z".utf8), at: 0, to: file)
    let found = try Set(ends(400).map { $0["/d/a"] ?? Data() })
    let first = Set(found.map { String(decoding: [$0[0], $0[511]], as: UTF8.self) })
    #expect(first == ["aa", "ax", "zx"])
    #expect(Set(found.map { $0[512] }) == Set("ay".utf8))
    #expect(found.count == 6)
  }

  @Test("a file that was truncated and grew again may have any of its lengths")
  func lengths() throws {
    let file = try make("/d/a", sectors("aa"))
    try file.synchronize()
    try files.synchronizeDirectory("/d")
    try file.truncate(to: 600)
    try write(sectors("b"), at: 600, to: file)
    #expect(try Set(ends(300).map { $0["/d/a"]?.count }) == [1024, 600, 1112])
  }

  @Test("a rename is done or not, independently of other changes")
  func rename() throws {
    try make("/d/a", sectors("a")).synchronize()
    try files.synchronizeDirectory("/d")
    try make("/d/b", sectors("b")).synchronize()
    try files.rename("/d/b", to: "/d/a")
    let found = try Set(ends(200))
    #expect(
      found == [
        ["/d/a": sectors("a")], ["/d/a": sectors("a"), "/d/b": sectors("b")], ["/d/a": sectors("b")],
      ])
  }

  @Test("a removal is undone unless the directory was synchronized")
  func removal() throws {
    try make("/d/a", sectors("a")).synchronize()
    try files.synchronizeDirectory("/d")
    try files.remove("/d/a")
    #expect(try Set(ends(50)) == [[:], ["/d/a": sectors("a")]])
    try files.synchronizeDirectory("/d")
    #expect(try Set(ends(50)) == [[:]])
  }

  @Test("a seed gives the same samples, whichever other prefixes are asked for")
  func seeds() throws {
    for number in 0..<5 { _ = try make("/d/\(number)", sectors("abcd")) }
    let log = try #require(files.log)
    let all = log.states(samplesPerPrefix: 4, seed: 3).map(\.contents)
    #expect(all == log.states(samplesPerPrefix: 4, seed: 3).map(\.contents))
    #expect(all != log.states(samplesPerPrefix: 4, seed: 4).map(\.contents))
    #expect(all.count == (log.operations.count + 1) * 7)
    let last = log.states(ofPrefixes: [log.operations.count], samplesPerPrefix: 4, seed: 3).map(\.contents)
    #expect(Array(all.suffix(7)) == last)
  }

  @Test("the state with all changes is that of the file system, after every operation of a disk cache")
  func everything() throws {
    let cache = try DiskCache(
      directory: "/d", configuration: DiskCacheConfiguration(capacity: 32 << 10, fileSystem: files))
    for number in 0..<60 {
      cache.store(body(number % 9, version: number, count: 1500), forKey: key(number % 9))
      let log = try #require(files.log)
      let state = try #require(
        log.states(ofPrefixes: [log.operations.count], samplesPerPrefix: 0, seed: 0).first { _ in true })
      #expect(Set(state.contents.keys) == Set(files.paths))
      for path in files.paths { #expect(state.contents[path] == files.contents(of: path)) }
    }
  }
}
