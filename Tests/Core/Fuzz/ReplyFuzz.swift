import Foundation
import Ozu
import OzuCaching
import OzuSharedStores

/// Parses replies of Redis, listings of S3 and entries of both.
@Sendable
func fuzzReplies(_ input: Data) {
  let whole = replies(in: input, pieces: input.count)
  for length in [1, 5] {
    precondition(replies(in: input, pieces: length) == whole, "replies that depend on how they are cut")
  }
  let text = String(decoding: input, as: UTF8.self)
  if let listing = try? S3Listing(text) {
    precondition(listing.keys.count <= input.count, "keys from nothing")
  }
  let key = ImageStoreKey(.original, CacheKey("a"))
  _ = SharedEntry.decode(input, for: key)
  // With the checksum that belongs to it, so that the fields behind it are read.
  var entry = Data("OZs1".utf8)
  withUnsafeBytes(of: UInt32(input.count).littleEndian) { entry.append(contentsOf: $0) }
  let checksum = input.withUnsafeBytes { Checksum64.of($0, seed: 0) }
  withUnsafeBytes(of: checksum.littleEndian) { entry.append(contentsOf: $0) }
  entry.append(input)
  _ = SharedEntry.decode(entry, for: key)
  _ = try? SharedEntry.metadata(ofBeginning: entry.prefix(64), for: key)
}

private func replies(in input: Data, pieces length: Int) -> [RESPValue] {
  var parser = RESPParser()
  var values: [RESPValue] = []
  var rest = input[...]
  while !rest.isEmpty {
    let piece = Data(rest.prefix(max(1, length)))
    rest = rest.dropFirst(max(1, length))
    piece.withUnsafeBytes { parser.append($0) }
    do {
      while let value = try parser.next() { values.append(value) }
    } catch {
      break
    }
  }
  return values
}
