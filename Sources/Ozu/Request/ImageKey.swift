/// The identity of a result: a source and a recipe, in 128 bits, computed once per request.
///
/// Memory, disk and work sharing all use this one key.
public struct ImageKey: Hashable, Sendable {
  /// The identity of the source, whatever is made of it: the key of the original on disk.
  public let source: CacheKey
  /// The identity of the source and the recipe: the key of the finished picture.
  public let rendition: CacheKey

  init(sourceKey: String, recipe: String?) {
    let source = CacheKey(sourceKey)
    self.source = source
    rendition = recipe.map { source.derived($0) } ?? source
  }

  /// By the rendition alone: it already depends on the source.
  public static func == (a: ImageKey, b: ImageKey) -> Bool { a.rendition == b.rendition }

  /// The rendition's own bits: they are a hash already.
  public var hashValue: Int { rendition.hashValue }

  /// By the rendition alone.
  public func hash(into hasher: inout Hasher) { hasher.combine(rendition) }
}
