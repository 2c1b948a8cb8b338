import Foundation
import Ozu
import OzuTesting
import Testing

@testable import OzuSharedStores

@Suite("Entries of shared stores")
struct SharedEntryTests {
  private let key = ImageStoreKey(.rendition, "a")
  private let entry = ImageStoreEntry(
    metadata: Data("about it".utf8), body: Data((0..<100).map { UInt8($0) }))

  @Test(
    "come back as they were written, also when empty", arguments: [(0, 0), (0, 5), (5, 0), (700, 40_000)])
  func roundTrip(metadataCount: Int, bodyCount: Int) throws {
    let entry = ImageStoreEntry(
      metadata: Data(count: metadataCount), body: Data(repeating: 7, count: bodyCount))
    let data = SharedEntry.encode(entry, for: key)
    #expect(SharedEntry.decode(data, for: key) == entry)
    #expect(SharedEntry.decode(Data([9]) + data, for: key) == nil)
    // A slice has other indices.
    #expect(SharedEntry.decode((Data([9]) + data).dropFirst(), for: key) == entry)
    #expect(
      try SharedEntry.metadata(ofBeginning: data.prefix(data.count - bodyCount), for: key) == entry.metadata)
    #expect(data.count <= entry.byteCount + SharedEntry.overhead(for: key))
  }

  @Test("a change of any byte makes an entry invalid")
  func damage() {
    let data = SharedEntry.encode(entry, for: key)
    for place in data.indices {
      for flip: UInt8 in [1, 0x80, 0xFF] {
        var damaged = data
        damaged[place] ^= flip
        #expect(SharedEntry.decode(damaged, for: key) == nil, "byte \(place)")
      }
    }
  }

  @Test("a truncated or extended entry is invalid")
  func lengths() {
    let data = SharedEntry.encode(entry, for: key)
    for count in 0..<data.count { #expect(SharedEntry.decode(data.prefix(count), for: key) == nil) }
    #expect(SharedEntry.decode(data + Data([0]), for: key) == nil)
  }

  @Test(
    "an entry of another key or kind is invalid",
    arguments: [ImageStoreKey(.rendition, "b"), ImageStoreKey(.encoded, "a")])
  func foreign(other: ImageStoreKey) throws {
    let data = SharedEntry.encode(entry, for: other)
    #expect(SharedEntry.decode(data, for: key) == nil)
    #expect(try SharedEntry.metadata(ofBeginning: data, for: key) == nil)
  }

  @Test("a beginning without all of the metadata needs more bytes")
  func beginnings() {
    let data = SharedEntry.encode(entry, for: key)
    #expect(throws: SharedEntry.NeedsMore.self) {
      try SharedEntry.metadata(ofBeginning: data.prefix(30), for: key)
    }
  }

  @Test("random bytes after a valid beginning are not an entry", arguments: 1...50)
  func noise(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    let data = SharedEntry.encode(entry, for: key)
    let kept = Int.random(in: 0..<40, using: &generator)
    let noise = (0..<200).map { _ in UInt8.random(in: 0...255, using: &generator) }
    #expect(SharedEntry.decode(data.prefix(kept) + noise, for: key) == nil)
  }
}
