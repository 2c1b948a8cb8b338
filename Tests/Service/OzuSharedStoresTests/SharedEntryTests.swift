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

  private static let secrets: [SharedEntryKey?] = [nil, SharedEntryKey([UInt8](repeating: 7, count: 16))]

  @Test(
    "come back as they were written, also when empty", arguments: [(0, 0), (0, 5), (5, 0), (700, 40_000)],
    secrets)
  func roundTrip(counts: (metadata: Int, body: Int), secret: SharedEntryKey?) throws {
    let (metadataCount, bodyCount) = counts
    let entry = ImageStoreEntry(
      metadata: Data(count: metadataCount), body: Data(repeating: 7, count: bodyCount))
    let data = SharedEntry.encode(entry, for: key, by: secret)
    #expect(SharedEntry.decode(data, for: key, by: secret) == entry)
    #expect(SharedEntry.decode(Data([9]) + data, for: key, by: secret) == nil)
    // A slice has other indices.
    #expect(SharedEntry.decode((Data([9]) + data).dropFirst(), for: key, by: secret) == entry)
    let beginning = data.prefix(data.count - bodyCount)
    #expect(try SharedEntry.metadata(ofBeginning: beginning, for: key, by: secret) == entry.metadata)
    // Neither a machine without the key nor one with another takes it, and none with a key takes one without.
    let other = secret == nil ? Self.secrets[1] : nil
    #expect(SharedEntry.decode(data, for: key, by: other) == nil)
    #expect(SharedEntry.decode(data, for: key, by: SharedEntryKey([UInt8](repeating: 8, count: 16))) == nil)
  }

  @Test("who has not the key can neither make an entry nor put another body or metadata into one")
  func forgery() throws {
    let secret = try #require(Self.secrets[1])
    let data = SharedEntry.encode(entry, for: key, by: secret)
    // A stranger can make all but the code: here with a key of their own, and with the code of another entry.
    let forged = ImageStoreEntry(metadata: entry.metadata, body: Data(repeating: 1, count: entry.body.count))
    let own = SharedEntry.encode(forged, for: key, by: SharedEntryKey([UInt8](repeating: 8, count: 16)))
    #expect(SharedEntry.decode(own, for: key, by: secret) == nil)
    let mixed = own.prefix(16) + data.dropFirst(16).prefix(32) + own.dropFirst(48)
    #expect(SharedEntry.decode(mixed, for: key, by: secret) == nil)
    #expect(SharedEntry.decode(data.dropLast(100) + forged.body, for: key, by: secret) == nil)
    #expect(SharedEntryKey(hex: "0g" + String(repeating: "0", count: 32)) == nil)
    #expect(SharedEntryKey(hex: String(repeating: "0", count: 30)) == nil)
    #expect(SharedEntryKey(hex: String(repeating: "07", count: 16)) == secret)
    #expect(!"\(secret)".contains("0707"))
  }

  @Test("a change of any byte makes an entry invalid", arguments: secrets)
  func damage(secret: SharedEntryKey?) {
    let data = SharedEntry.encode(entry, for: key, by: secret)
    for place in data.indices {
      for flip: UInt8 in [1, 0x80, 0xFF] {
        var damaged = data
        damaged[place] ^= flip
        #expect(SharedEntry.decode(damaged, for: key, by: secret) == nil, "byte \(place)")
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
