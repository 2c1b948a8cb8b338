extension DiskCache {
  /// A named part of a disk cache, with a size and, if configured, a capacity of its own.
  ///
  /// The same key has different entries in different partitions.
  ///
  /// ```swift
  /// extension DiskCache.Partition { static let originals: Self = "originals" }
  /// ```
  public struct Partition: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The partition's name: any text of at most 255 bytes of UTF-8.
    public let name: String

    /// Makes the partition with this name. A name longer than 255 bytes is cut at a character boundary.
    public init(_ name: String) {
      self.name = name.cut(toUTF8Count: 255)
    }

    /// Makes the partition with this name.
    public init(stringLiteral name: String) {
      self.init(name)
    }

    /// The partition that calls without a partition use.
    public static let `default` = Partition("default")

    /// The name.
    public var description: String { name }
  }
}

/// The short name, for use inside the module. As a public name it would be too general.
typealias Partition = DiskCache.Partition

extension String {
  /// The longest prefix of whole characters that takes at most `limit` bytes.
  func cut(toUTF8Count limit: Int) -> String {
    guard utf8.count > limit else { return self }
    var count = 0
    let start = prefix { character in
      count += character.utf8.count
      return count <= limit
    }
    return String(start)
  }
}
