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
    NearHashes(bits, within: limit).forEachPair { join(firsts[$0], firsts[$1]) }
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
/// Multi-index hashing (Norouzi, Punjani, Fleet 2012): a hash has four bands of 16 bits. If two hashes differ in `limit` bits, they
/// differ in `limit / 4` bits or fewer in one of the bands at least. So each band has a table from its value to the hashes that have
/// it, in which those of each value meet those of the values that are so near. 100,000 hashes within 8 bits take 18 million look-ups and
/// 80 million comparisons in place of 5 billion.
struct NearHashes {
  let hashes: [UInt64]
  let limit: Int

  private static let bandCount = 4
  private static let valueCount = 1 << 16

  /// - Parameters:
  ///   - hashes: all different.
  ///   - limit: the number of bits in which two of a pair differ at most, 0 to 64.
  init(_ hashes: [UInt64], within limit: Int) { (self.hashes, self.limit) = (hashes, limit) }

  /// Calls a closure with the indexes of each pair, the smaller first, once or several times.
  func forEachPair(_ body: (Int, Int) -> Void) {
    if isSlowerByBands { forEachPairOfAll(body) } else { forEachPairByBands(body) }
  }

  /// The pairs by the tables of the bands. A pair that is near in several bands comes several times.
  func forEachPairByBands(_ body: (Int, Int) -> Void) {
    let masks = Self.masks(upTo: limit / Self.bandCount)
    for band in 0..<Self.bandCount { forEachPair(band, masks, body) }
  }

  /// Whether it takes fewer steps to compare all with each other: for few hashes, and for a limit that leaves most of them.
  var isSlowerByBands: Bool {
    let count = Double(hashes.count)
    let values = Double(Self.valueCount)
    // The meetings of two values: each costs about four comparisons, because it misses the processor's cache.
    let meetings = Double(Self.bandCount * Self.ballSize(limit / Self.bandCount)) / 2
    let compared = count * count / values * meetings
    let steps = min(count, values) * meetings * 4 + compared + 2 * values * Double(Self.bandCount)
    return steps > count * count / 2
  }

  func forEachPairOfAll(_ body: (Int, Int) -> Void) {
    for second in hashes.indices {
      let hash = hashes[second]
      for first in 0..<second where (hashes[first] ^ hash).nonzeroBitCount <= limit { body(first, second) }
    }
  }

  /// The pairs that are near in one band.
  private func forEachPair(_ band: Int, _ masks: [UInt16], _ body: (Int, Int) -> Void) {
    func value(_ hash: UInt64) -> UInt16 { UInt16(truncatingIfNeeded: hash >> (16 * UInt64(band))) }
    // The hashes sorted by the value of the band, and where those of each value begin.
    var starts = [Int](repeating: 0, count: Self.valueCount + 1)
    for hash in hashes { starts[Int(value(hash)) + 1] += 1 }
    for number in 1...Self.valueCount { starts[number] += starts[number - 1] }
    var places = starts
    var sorted = [(hash: UInt64, index: Int)](repeating: (0, 0), count: hashes.count)
    for (index, hash) in hashes.enumerated() {
      let number = Int(value(hash))
      sorted[places[number]] = (hash, index)
      places[number] += 1
    }
    for number in 0..<Self.valueCount where starts[number] < starts[number + 1] {
      let own = starts[number]..<starts[number + 1]
      for mask in masks {
        let other = number ^ Int(mask)
        // Two values meet once.
        guard other >= number else { continue }
        for first in starts[other]..<starts[other + 1] {
          let hash = sorted[first].hash
          for second in own where (sorted[second].hash ^ hash).nonzeroBitCount <= limit && first != second {
            let (a, b) = (sorted[first].index, sorted[second].index)
            body(min(a, b), max(a, b))
          }
        }
      }
    }
  }

  /// The numbers of 16 bits of which a few at most are set.
  private static func masks(upTo count: Int) -> [UInt16] {
    (0...UInt16.max).filter { $0.nonzeroBitCount <= count }
  }

  /// How many they are.
  private static func ballSize(_ count: Int) -> Int {
    var (sum, term) = (1, 1)
    for bits in 1...16 where bits <= count {
      term = term * (17 - bits) / bits
      sum += term
    }
    return sum
  }
}
