import Ozu
import OzuBase

/// The counts of a store's entries. One lock guards them.
final class SharedStoreCounts: Sendable {
  private let counts = Mutex(SharedStoreStatistics())

  func count(_ what: WritableKeyPath<SharedStoreStatistics, Int>) {
    counts.withLock { $0[keyPath: what] += 1 }
  }

  func statistics(nodes: [SharedStoreNodeStatistics]) -> SharedStoreStatistics {
    var statistics = counts.withLock { $0 }
    statistics.nodes = nodes
    return statistics
  }
}

extension ImageStoreKind {
  /// Whether a shared store keeps entries of this kind. Beginnings of transfers and lists of derived variants are
  /// useless to other machines.
  func isShared(keepingOriginals: Bool) -> Bool {
    switch self {
    case .original: keepingOriginals
    case .partial, .variants: false
    default: true
    }
  }
}
