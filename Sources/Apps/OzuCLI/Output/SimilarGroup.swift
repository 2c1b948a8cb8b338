import Ozu
import OzuBase

/// A picture that is compared with others.
struct SimilarPicture: Sendable {
  /// The source as it may be printed.
  let source: String
  let size: PixelSize
  let byteCount: Int
  /// Of all bytes of the file.
  let digest: CacheKey
  /// How it looks; `nil` when only bytes are compared.
  let hash: PerceptualHash?

  /// How many bits of the hashes differ: 0 for equal bytes; `nil` if they cannot be compared. A picture of one colour has no bits
  /// and is like no other.
  func distance(to other: SimilarPicture) -> Int? {
    if digest == other.digest { return 0 }
    guard let hash, let second = other.hash, hash.bits != 0, second.bits != 0 else { return nil }
    return hash.distance(to: second)
  }
}

/// Pictures that are copies of each other, the one with the most pixels first, then the one with the most bytes.
struct SimilarGroup: Sendable {
  let pictures: [SimilarPicture]

  /// The groups of two pictures and more, in the order of their first pictures. A group has every picture that is within a
  /// distance of another one in it.
  ///
  /// - Complexity: O(n) but for near hashes, which `NearHashes` finds.
  static func groups(of pictures: [SimilarPicture], within limit: Int) -> [SimilarGroup] {
    var roots = Array(pictures.indices)
    func root(_ index: Int) -> Int {
      var index = index
      while roots[index] != index {
        roots[index] = roots[roots[index]]
        index = roots[index]
      }
      return index
    }
    func join(_ first: Int, _ second: Int) {
      let (a, b) = (root(first), root(second))
      roots[max(a, b)] = min(a, b)
    }
    // The first picture with each digest, and with each hash.
    var (digests, hashes) = ([CacheKey: Int](), [UInt64: Int]())
    for (index, picture) in pictures.enumerated() {
      if let first = digests.updateValue(digests[picture.digest] ?? index, forKey: picture.digest) {
        join(first, index)
      }
      // No bits: a picture of one colour, which is like no other.
      guard let bits = picture.hash?.bits, bits != 0 else { continue }
      if let first = hashes.updateValue(hashes[bits] ?? index, forKey: bits) { join(first, index) }
    }
    let (bits, firsts) = (Array(hashes.keys), Array(hashes.values))
    NearHashes.forEachPair(of: bits, within: limit) { join(firsts[$0], firsts[$1]) }
    let members = Dictionary(grouping: pictures.indices) { root($0) }
    return members.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }.map { member in
      let sorted = member.value.sorted { first, second in
        let (a, b) = (pictures[first], pictures[second])
        let areas = (a.size.pixelCount, b.size.pixelCount)
        if areas.0 != areas.1 { return areas.0 > areas.1 }
        return a.byteCount == b.byteCount ? first < second : a.byteCount > b.byteCount
      }
      return SimilarGroup(pictures: sorted.map { pictures[$0] })
    }
  }

  var text: String {
    let first = pictures[0]
    return pictures.map { picture in
      let head = "\(PrintableText.name(picture.source)): \(picture.size), \(Format.bytes(picture.byteCount))"
      if picture.source == first.source { return head }
      if picture.digest == first.digest { return head + ", same bytes" }
      return head + (first.distance(to: picture).map { ", distance \($0)" } ?? "")
    }.joined(separator: "\n")
  }

  var json: JSON {
    let first = pictures[0]
    return .report(
      "similar",
      [
        (
          "pictures",
          .array(
            pictures.map { picture in
              .object([
                ("source", .string(picture.source)), ("width", .integer(picture.size.width)),
                ("height", .integer(picture.size.height)), ("bytes", .integer(picture.byteCount)),
                ("hash", picture.hash.map { .string($0.description) } ?? .null),
                ("distance", first.distance(to: picture).map(JSON.integer) ?? .null),
                ("isSameBytes", .bool(picture.digest == first.digest)),
              ])
            })
        )
      ])
  }
}

/// Finds all pairs of 64-bit hashes that differ in a few bits, without comparing each with each other.
///
/// A hash is cut into one band more than bits may differ, so two that are near have one of their bands in common at least. For 8
/// bits a fourteenth of all pairs has. For more than 11 it is most of them, and all are compared.
enum NearHashes {
  /// Calls a closure with the indexes of each pair, the smaller first, once or several times.
  ///
  /// - Parameters:
  ///   - hashes: all different.
  ///   - limit: the number of bits in which two of a pair differ at most, 0 to 64.
  static func forEachPair(of hashes: [UInt64], within limit: Int, _ body: (Int, Int) -> Void) {
    for mask in bands(limit) {
      for group in Dictionary(grouping: hashes.indices, by: { hashes[$0] & mask }).values {
        for (place, second) in group.enumerated() {
          for first in group[..<place] where (hashes[first] ^ hashes[second]).nonzeroBitCount <= limit {
            body(first, second)
          }
        }
      }
    }
  }

  /// The bits of each band; one band without bits, which all hashes have in common, for a large limit.
  private static func bands(_ limit: Int) -> [UInt64] {
    guard limit < 12 else { return [0] }
    return (0...limit).map { band in
      let (start, end) = (64 * band / (limit + 1), 64 * (band + 1) / (limit + 1))
      return (UInt64.max >> (64 - (end - start))) << start
    }
  }
}
