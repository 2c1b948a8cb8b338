import Foundation

/// What an entry of a store is. Kinds have separate keys: one key may have an entry of each.
public struct ImageStoreKind: Hashable, Sendable, CustomStringConvertible {
  /// The kind's own name. It never changes between releases, so it can be stored.
  public let name: String

  /// Makes a kind of a name.
  public init(_ name: String) { self.name = name }

  /// Files as they came, with the HTTP response as metadata.
  public static let original = ImageStoreKind("originals")
  /// Finished pictures, encoded.
  public static let rendition = ImageStoreKind("renditions")
  /// Encoded images (`ImagePipeline.encoded(for:as:)`).
  public static let encoded = ImageStoreKind("encoded")
  /// Beginnings of files whose transfers broke off. Kept in the first level alone.
  public static let partial = ImageStoreKind("partials")
  /// Small lists of the finished pictures of a source. Kept in the first level alone.
  public static let relatives = ImageStoreKind("relatives")

  /// The finished pictures of a cache format.
  public static func format(_ name: String) -> ImageStoreKind { ImageStoreKind(formatPrefix + name) }

  private static let formatPrefix = "format:"

  /// The name of the cache format whose finished pictures these are; `nil` for other kinds.
  public var formatName: String? {
    name.hasPrefix(Self.formatPrefix) ? String(name.dropFirst(Self.formatPrefix.count)) : nil
  }

  /// Whether these are finished pictures, of a format or without one.
  public var isRendition: Bool { self == .rendition || name.hasPrefix(Self.formatPrefix) }

  /// 32 hexadecimal digits that stand for the name: fit for a folder, whatever characters an app's formats have.
  public var identifier: String { "\(CacheKey(name))" }

  /// The name.
  public var description: String { name }
}

/// The key of an entry in a store.
public struct ImageStoreKey: Hashable, Sendable {
  /// What the entry is.
  public let kind: ImageStoreKind
  /// The key among those of its kind: 128 bits of a hash, the same in every process and on every machine.
  public let key: CacheKey
  /// A text for people who list the store: the source without its secrets, then what is done with it. It comes with
  /// writes alone, and does not tell keys apart.
  public let label: String?

  /// Makes a key.
  public init(_ kind: ImageStoreKind, _ key: CacheKey, label: String? = nil) {
    self.kind = kind
    self.key = key
    self.label = label
  }

  /// 32 hexadecimal digits that stand for the kind and the key: fit for a file's name or a column of a table.
  public var identifier: String { "\(key.derived("kind", kind.name))" }

  /// By kind and key.
  public static func == (a: ImageStoreKey, b: ImageStoreKey) -> Bool { a.key == b.key && a.kind == b.kind }

  /// By the key, which is a hash already.
  public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

/// What a store keeps under a key.
public struct ImageStoreEntry: Hashable, Sendable {
  /// A few hundred bytes in a form of the pipeline's own, such as the response that brought the body.
  public var metadata: Data
  /// The bytes of the file or the finished picture.
  public var body: Data

  /// Makes an entry.
  public init(metadata: Data, body: Data) {
    self.metadata = metadata
    self.body = body
  }

  /// The bytes of both.
  public var byteCount: Int { metadata.count + body.count }
}

/// An entry as a listing shows it.
public struct ImageStoreInfo: Sendable {
  /// Its key, with the label that it was written with.
  public let key: ImageStoreKey
  /// When it was last used; `nil` where that is not known.
  public let accessDate: Date?

  /// Makes a line of a listing.
  public init(key: ImageStoreKey, accessDate: Date? = nil) {
    self.key = key
    self.accessDate = accessDate
  }
}
