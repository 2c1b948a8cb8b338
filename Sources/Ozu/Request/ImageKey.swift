/// The identity of a result: a source and a recipe, in 128 bits, computed once per request.
///
/// Memory, disk and work sharing all use this one key.
public struct ImageKey: Hashable, Sendable {
  /// The identity of the source, whatever is made of it: the key of the original on disk.
  public let source: CacheKey
  /// The identity of the source and the recipe: the key of the finished picture.
  public let rendition: CacheKey

  /// The version of the rules by which a source and its steps become pixels. A release that makes other pixels of the
  /// same file raises it, so that no finished picture of an earlier release is served.
  ///
  /// 3: tone mapping of PQ and HLG. 2: black-point compensation for ICC profiles. Releases before had no version in their keys.
  static let pixelVersion = 3

  /// - Parameter steps: the identifiers of all that is done with the source, in order.
  init(source: CacheKey, steps: [String]) {
    self.source = source
    // Each step is hashed as one part with its length, so that no two lists read alike.
    rendition = steps.reduce(Self.versioned(source)) { $0.derived($1) }
  }

  /// Another key for each version. The bits of a key are spread like a hash's, so changing one half is enough, and
  /// requests, each of which does this, need not hash once more.
  private static func versioned(_ source: CacheKey) -> CacheKey {
    CacheKey(high: source.high ^ (0x9E37_79B9_7F4A_7C15 &* UInt64(pixelVersion)), low: source.low)
  }

  /// The key of a rendition that was computed before.
  init(source: CacheKey, rendition: CacheKey) {
    self.source = source
    self.rendition = rendition
  }

  /// By the rendition alone: it already depends on the source.
  public static func == (a: ImageKey, b: ImageKey) -> Bool { a.rendition == b.rendition }

  /// The rendition's own bits: they are a hash already.
  public var hashValue: Int { rendition.hashValue }

  /// By the rendition alone.
  public func hash(into hasher: inout Hasher) { hasher.combine(rendition) }
}
