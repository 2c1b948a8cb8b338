import Foundation

enum PictureOrder: String, Codable, CaseIterable, Sendable {
  /// By the name as people sort it: 2 comes before 10.
  case name
  /// By the date of capture, the newest first; the date of the last change counts for a file that states none.
  case date
  /// By the size of the file, the largest first.
  case size

  /// The items in this order. Those that are equal in it are sorted by name.
  ///
  /// - Parameter isReversed: whether the order is turned round.
  func sorted(_ items: [PictureItem], isReversed: Bool = false) -> [PictureItem] {
    let ascending = items.sorted { a, b in
      switch self {
      case .name: break
      case .date:
        let (x, y) = (a.captured ?? a.stamp?.modified ?? 0, b.captured ?? b.stamp?.modified ?? 0)
        if x != y { return x > y }
      case .size:
        let (x, y) = (a.stamp?.byteCount ?? 0, b.stamp?.byteCount ?? 0)
        if x != y { return x > y }
      }
      return a.name.localizedStandardCompare(b.name) == .orderedAscending
    }
    return isReversed ? ascending.reversed() : ascending
  }
}
