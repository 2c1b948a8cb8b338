#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

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
