import Foundation
import OzuTesting

/// Requests for pictures as people make them, with the bytes each takes decoded: 60 KB to 8 MB, log-normal about
/// 700 KB, and avatars of 40 KB. Made from a seed, so every machine replays the same.
struct EvictionWorkload {
  struct Request {
    let key: Int
    let cost: Int
  }

  let name: String
  let requests: [Request]
  /// The capacities in bytes at which it is replayed.
  let capacities = [64 << 20, 256 << 20, 768 << 20]

  static func all() -> [EvictionWorkload] {
    [
      feed("feed-back-10%", seed: 1, back: 0.1), feed("feed-back-25%", seed: 2, back: 0.25),
      feed("feed-back-50%", seed: 3, back: 0.5), galleries(seed: 4),
      popular("zipf-0.8", seed: 5, exponent: 0.8, scans: 0),
      popular("zipf-0.9-with-scans", seed: 6, exponent: 0.9, scans: 0.2),
    ]
  }

  private static let length = 120_000

  private static func photo(_ number: Int) -> Request {
    var random = SeededGenerator(seed: UInt64(bitPattern: Int64(number)) &* 7919 &+ 1)
    let normal = (-2 * log(random.unit())).squareRoot() * cos(2 * .pi * random.unit())
    return Request(key: number, cost: Int(min(8e6, max(6e4, 7e5 * exp(0.9 * normal)))))
  }

  /// Scrolling down, and now and then back up over what was seen and down again; each post has a photograph and
  /// its author's avatar.
  private static func feed(_ name: String, seed: UInt64, back: Double) -> EvictionWorkload {
    var random = SeededGenerator(seed: seed)
    var requests: [Request] = []
    var position = 0
    func view(_ post: Int) {
      var author = SeededGenerator(seed: UInt64(post))
      requests.append(photo(post))
      requests.append(Request(key: 1 << 40 | Int(author.next() % 400), cost: 40_000))
    }
    while requests.count < length {
      for _ in 0...Int(random.exponential(mean: 30)) {
        view(position)
        position += 1
      }
      guard random.unit() < back * 2 else { continue }
      let distance = min(position, Int(random.exponential(mean: 25)) + 1)
      for step in 1...distance { view(position - step) }
      for step in (1...distance).reversed() where random.unit() < 0.5 { view(position - step) }
    }
    return EvictionWorkload(name: name, requests: requests)
  }

  /// Albums of 20 to 100 pictures, some more popular than others, looked through once or twice.
  private static func galleries(seed: UInt64) -> EvictionWorkload {
    var random = SeededGenerator(seed: seed)
    let albums = Zipf(count: 200, exponent: 0.8)
    var requests: [Request] = []
    while requests.count < length {
      let album = albums.sample(&random)
      var own = SeededGenerator(seed: UInt64(album) &+ 99)
      let size = 20 + Int(own.next() % 80)
      for _ in 0..<(random.unit() < 2.0 / 3 ? 1 : 2) {
        for picture in 0..<size { requests.append(photo(album * 100 + picture)) }
      }
    }
    return EvictionWorkload(name: "galleries", requests: requests)
  }

  /// Independent requests by popularity, and scans of 200 pictures that nobody asks for again.
  private static func popular(
    _ name: String, seed: UInt64, exponent: Double, scans: Double
  ) -> EvictionWorkload {
    var random = SeededGenerator(seed: seed)
    let pictures = Zipf(count: 20_000, exponent: exponent)
    var requests: [Request] = []
    var scanned = 1 << 32
    while requests.count < length {
      if random.unit() < scans / 200 {
        for _ in 0..<200 {
          requests.append(photo(scanned))
          scanned += 1
        }
      }
      requests.append(photo(pictures.sample(&random)))
    }
    return EvictionWorkload(name: name, requests: requests)
  }
}

/// Numbers whose popularity falls as a power of their rank.
private struct Zipf {
  private var sums: [Double] = []

  init(count: Int, exponent: Double) {
    var sum = 0.0
    for rank in 1...count {
      sum += pow(Double(rank), -exponent)
      sums.append(sum)
    }
  }

  func sample(_ random: inout SeededGenerator) -> Int {
    let target = random.unit() * (sums.last ?? 0)
    var (low, high) = (0, sums.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if sums[middle] < target { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension SeededGenerator {
  /// A number above zero and at most one.
  mutating func unit() -> Double { Double((next() >> 11) + 1) / 9_007_199_254_740_992 }

  mutating func exponential(mean: Double) -> Double { -mean * log(unit()) }
}
