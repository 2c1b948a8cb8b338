import Foundation
import OzuCaching

/// An entry of the drills: 30 KB that are computed from a key and a version, so that a reader can check all of them.
struct DrillEntry {
  static let byteCount = 30_000
  static let keyCount = 256

  let number: Int
  let version: Int

  var key: CacheKey { CacheKey("drill \(number)") }

  var body: Data {
    var words = ContiguousArray<UInt64>(repeating: 0, count: Self.byteCount / 8)
    words[0] = UInt64(number)
    words[1] = UInt64(version)
    var state = UInt64(number) << 32 | UInt64(version)
    for index in 2..<words.count {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      words[index] = state
    }
    return words.withUnsafeBytes { Data($0) }
  }

  init(number: Int, version: Int) {
    self.number = number
    self.version = version
  }

  /// The entry that was stored as this body; nil if the body is not whole, or belongs to another key.
  init?(_ body: Data, number: Int) {
    guard body.count == Self.byteCount else { return nil }
    let words = body.withUnsafeBytes {
      ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }
    guard words.0 == UInt64(number), words.1 < 1 << 32 else { return nil }
    self.init(number: number, version: Int(words.1))
    guard self.body == body else { return nil }
  }
}
