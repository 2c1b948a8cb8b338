import Ozu
import OzuSynchronization

/// What a store counts of its entries. One lock guards the counts.
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
  /// Whether a shared store keeps entries of the kind. Beginnings of transfers and lists of what is derived from what mean
  /// nothing to another machine.
  func isShared(keepingOriginals: Bool) -> Bool {
    switch self {
    case .original: keepingOriginals
    case .partial, .relatives: false
    default: true
    }
  }
}
