import OzuBase
import OzuHTTP

/// The kind of an entry in a store. Each kind has its own keys: one key may have an entry of each kind.
public struct ImageStoreKind: Hashable, Sendable, CustomStringConvertible {
  /// The name of the kind. It never changes between releases, so it can be stored.
  public let name: String

  /// Makes a kind from a name.
  public init(_ name: String) { self.name = name }

  /// Original files, with the HTTP response as metadata.
  public static let original = ImageStoreKind("originals")
  /// Finished pictures in encoded form.
  public static let rendition = ImageStoreKind("renditions")
  /// Encoded images (`ImagePipeline.encoded(for:as:)`).
  public static let encoded = ImageStoreKind("encoded")
  /// Beginnings of files whose transfers were interrupted. Only in the first store.
  public static let partial = ImageStoreKind("partials")
  /// Small lists of the finished pictures of a source. Only in the first store.
  public static let variants = ImageStoreKind("relatives")

  /// The finished pictures of a cache format.
  public static func format(_ name: String) -> ImageStoreKind { ImageStoreKind(formatPrefix + name) }

  private static let formatPrefix = "format:"

  /// The name of the cache format whose finished pictures these are; `nil` for other kinds.
  var formatName: String? {
    name.hasPrefix(Self.formatPrefix) ? String(name.dropFirst(Self.formatPrefix.count)) : nil
  }

  /// Whether these are finished pictures, of a format or without one.
  var isRendition: Bool { self == .rendition || name.hasPrefix(Self.formatPrefix) }

  /// 32 hexadecimal digits computed from the name. Safe as the name of a folder, whatever characters the name of a
  /// cache format has.
  public var identifier: String { "\(CacheKey(name))" }

  /// The name.
  public var description: String { name }
}

/// The key of an entry in a store.
public struct ImageStoreKey: Hashable, Sendable {
  /// The kind of the entry.
  public let kind: ImageStoreKind
  /// The key among those of its kind: 128 bits of a hash, the same in every process and on every machine.
  public let key: CacheKey
  /// A readable text for listings of the store: the source without its secrets, then the steps. Only writes have a
  /// label, and it is not part of the identity of a key.
  public let label: String?

  /// Makes a key.
  public init(_ kind: ImageStoreKind, _ key: CacheKey, label: String? = nil) {
    self.kind = kind
    self.key = key
    self.label = label
  }

  /// 32 hexadecimal digits computed from the kind and the key. Safe as a file name or in a column of a table.
  public var identifier: String { "\(key.derived("kind", kind.name))" }

  /// Compares kind and key.
  public static func == (a: ImageStoreKey, b: ImageStoreKey) -> Bool { a.key == b.key && a.kind == b.kind }

  /// Hashes the key, which is already a hash.
  public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

/// The value of a key in a store.
public struct ImageStoreEntry: Hashable, Sendable {
  /// A few hundred bytes in a private format of the pipeline, such as the response that brought the body.
  public var metadata: Data
  /// The bytes of the file or the finished picture.
  public var body: Data

  /// Makes an entry.
  public init(metadata: Data, body: Data) {
    self.metadata = metadata
    self.body = body
  }

  /// The number of bytes of both.
  public var byteCount: Int { metadata.count + body.count }
}

/// An entry in a listing.
public struct ImageStoreInfo: Sendable {
  /// Its key, with the label that it was written with.
  public let key: ImageStoreKey
  /// When it was last used; `nil` if that is not known.
  public let accessDate: Date?

  /// Makes an entry of a listing.
  public init(key: ImageStoreKey, accessDate: Date? = nil) {
    self.key = key
    self.accessDate = accessDate
  }
}

/// The label of an entry in listings of a store: its source, then the steps. Labels are stored in clear text, so a
/// URL loses user, password, query and fragment. A hash of the URL replaces them, and distinguishes it from others.
///
/// `https://example.com/a.jpg?… #0123456789abcdef0123456789abcdef resize(…)`
enum EntryLabel {
  static func text(ofSource source: String, steps: [String] = []) -> String {
    guard let start = source.firstRange(of: "://")?.upperBound else { return join(source, steps) }
    // The hashes of header fields follow the address.
    let address = String(source[..<(source[start...].firstIndex(of: " ") ?? source.endIndex)])
    let shown = Redaction.address(address)
    guard shown != address else { return join(source, steps) }
    return join("\(shown) #\(CacheKey(address))" + source.dropFirst(address.count), steps)
  }

  private static func join(_ source: String, _ steps: [String]) -> String {
    ([source] + steps).joined(separator: " ")
  }

  /// Whether an entry whose label begins with the name of a source and a space belongs to another source, whose name goes on behind
  /// the space: `avatar large` is not a step of `avatar`. The key of a finished picture tells, because it is made of its source and
  /// steps; that of an encoded file does not.
  static func isOfLongerName(than beginning: String, _ key: ImageStoreKey, _ label: String) -> Bool {
    guard key.kind.isRendition else { return false }
    let words = label.dropFirst(beginning.count).split(separator: " ", omittingEmptySubsequences: false)
    return words.indices.prefix(16).contains { last in
      let source = Self.key(ofLabel: beginning + words[...last].joined(separator: " "))
      let steps = words[(last + 1)...].map { String($0) }
      return ImageKey(source: source, steps: steps).rendition == key.key
    }
  }

  /// The key of the source of a label without steps.
  static func key(ofLabel label: String) -> CacheKey {
    let hash = label.suffix(32)
    if label.dropLast(32).hasSuffix(" #"), let key = CacheKey(hexadecimal: hash) { return key }
    return CacheKey(label)
  }
}
