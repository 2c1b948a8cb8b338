import OzuBase

/// Random numbers that depend only on a seed, so that a failure of a test can be repeated on every machine. SplitMix64
/// (Steele, Lea and Flood, OOPSLA 2014); not for security.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Makes a generator from a seed, which can be any number.
  public init(seed: UInt64) { state = seed }

  /// The next 64 bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}

/// How many of their cases the longest tests of this package take: a part in `make test`, half of it under a sanitizer,
/// where each takes several times as long, and all in `make drills-tests`.
package enum Cases {
  /// Whether all cases are taken (`OZU_ALL_CASES`).
  package static let areAll = ProcessInfo.processInfo.environment["OZU_ALL_CASES"] != nil

  #if OZU_TSAN || OZU_ASAN
    private static let divisor = 2
  #else
    private static let divisor = 1
  #endif

  /// A number of rounds or seeds.
  package static func count(_ part: Int, of all: Int) -> Int {
    areAll ? all : (part + divisor - 1) / divisor
  }

  /// The distance from one case to the next.
  package static func step(_ part: Int, of all: Int) -> Int { areAll ? all : part * divisor }

  /// Every second, third … of the cases, beginning with the first.
  package static func every<Case>(_ step: Int, of all: [Case]) -> [Case] {
    areAll ? all : stride(from: 0, to: all.count, by: step * divisor).map { all[$0] }
  }
}
