import OzuBase

/// The owners of the names that results have. One lock guards them.
final class NameClaims: Sendable {
  private let owners = Mutex<[String: String]>([:])

  /// Whether no other owner has the name, which belongs to this one from now on.
  func claim(_ name: String, for owner: String) -> Bool {
    owners.withLock { owners in
      if let first = owners[name] { return first == owner }
      owners[name] = owner
      return true
    }
  }
}
