extension DiskCache {
  /// A named part of a disk cache, with a size and, if declared, a capacity of its own.
  ///
  /// A key means different entries in different partitions.
  ///
  /// ```swift
  /// extension DiskCache.Partition { static let originals: Self = "originals" }
  /// ```
  public struct Partition: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The partition's name: any text of at most 255 bytes of UTF-8.
    public let name: String

    /// The partition of this name; a name longer than 255 bytes is cut to the characters that fit.
    public init(_ name: String) {
      self.name = name.cut(toUTF8Count: 255)
    }

    /// The partition of this name.
    public init(stringLiteral name: String) {
      self.init(name)
    }

    /// The partition for whoever needs only one.
    public static let `default` = Partition("default")

    /// The name.
    public var description: String { name }
  }
}

/// The short name inside the module; outside it would be too general a word.
typealias Partition = DiskCache.Partition

extension String {
  /// The longest prefix of whole characters that takes at most `limit` bytes.
  func cut(toUTF8Count limit: Int) -> String {
    guard utf8.count > limit else { return self }
    var result = ""
    var count = 0
    for character in self {
      count += character.utf8.count
      if count > limit { break }
      result.append(character)
    }
    return result
  }
}
