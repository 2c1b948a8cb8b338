#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// How many of their cases the longest tests of this package take: a part in `make test`, all in `make drills-tests`.
package enum Cases {
  /// Whether all cases are taken (`OZU_ALL_CASES`).
  package static let areAll = ProcessInfo.processInfo.environment["OZU_ALL_CASES"] != nil

  /// A number of rounds or seeds.
  package static func count(_ part: Int, of all: Int) -> Int { areAll ? all : part }

  /// Every second, third … of the cases, beginning with the first.
  package static func every<Case>(_ step: Int, of all: [Case]) -> [Case] {
    areAll ? all : stride(from: 0, to: all.count, by: step).map { all[$0] }
  }
}
