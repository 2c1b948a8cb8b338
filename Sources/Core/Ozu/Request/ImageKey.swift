/// The identity of a result: a source and a recipe, in 128 bits, computed once for each request.
///
/// Memory, the stores and coalescing all use this key.
public struct ImageKey: Hashable, Sendable {
  /// The identity of the source, independent of the recipe: the key of the original in the stores.
  public let source: CacheKey
  /// The identity of the source and the recipe: the key of the rendition.
  public let rendition: CacheKey

  /// The version of the rules that turn a source and its steps into pixels. A release that makes other pixels from
  /// the same file raises it, so that no rendition of an earlier release is served.
  ///
  /// 4: sizes are rounded to the nearest pixel, CMYK without Adobe's marker is read as with it, and small blurs, thin borders,
  /// padding, contrast and the kernels `box` and `nearest` are exact. 3: tone mapping of PQ and HLG. 2: black-point
  /// compensation for ICC profiles. Keys of earlier releases had no version.
  static let pixelVersion = 4

  /// Stands for the source of a preloaded picture that is not known. The removal of any source removes it too.
  static let unknownSource = CacheKey(high: 0, low: 0)

  /// - Parameter steps: the identifiers of all steps, in order.
  init(source: CacheKey, steps: [String]) {
    self.source = source
    // Each step is hashed with its length, so that no two lists have the same hash input.
    rendition = steps.reduce(Self.versioned(source)) { $0.derived($1) }
  }

  /// Changes the key for each version. The bits of a key are distributed like those of a hash, so it is enough to
  /// change one half, and a request, which does this each time, needs no further hash.
  private static func versioned(_ source: CacheKey) -> CacheKey {
    CacheKey(high: source.high ^ (0x9E37_79B9_7F4A_7C15 &* UInt64(pixelVersion)), low: source.low)
  }

  /// The key of a rendition that was computed before.
  init(source: CacheKey, rendition: CacheKey) {
    self.source = source
    self.rendition = rendition
  }

  /// Compares the renditions only, because they already depend on the source.
  public static func == (a: ImageKey, b: ImageKey) -> Bool { a.rendition == b.rendition }

  /// The bits of the rendition, which are already a hash.
  public var hashValue: Int { rendition.hashValue }

  /// Hashes the rendition only.
  public func hash(into hasher: inout Hasher) { hasher.combine(rendition) }
}
