import OzuBase

/// The memory level of a pipeline. An app with its own memory cache implements this protocol and sets
/// `ImagePipeline.Configuration.Caching.imageCache`; `MemoryCache` of ``ImageKey`` and ``CachedPicture`` is the built-in one.
///
/// A pipeline calls it synchronously, from any thread including the main thread, and in part under its own locks. So
/// an implementation must answer at once and must not call the pipeline. It may refuse any picture and drop any
/// picture at any time; the pipeline then takes the picture from the disk or loads it again.
public protocol ImageCaching: Sendable {
  /// The picture of a key. Counts as a use of it, and in `statistics` as a hit or a miss.
  func value(forKey key: ImageKey) -> CachedPicture?

  /// Whether there is a picture of a key. Does not count as a use.
  func contains(_ key: ImageKey) -> Bool

  /// Stores a picture and replaces the former one of the key. If the cache refuses the picture, it must also remove
  /// the former one, which would be out of date.
  ///
  /// - Parameter cost: the bytes that the pixels take.
  /// - Returns: whether it was stored.
  @discardableResult
  func store(_ value: CachedPicture, forKey key: ImageKey, cost: Int) -> Bool

  /// Removes the picture of a key and returns it.
  @discardableResult
  func removeValue(forKey key: ImageKey) -> CachedPicture?

  /// Removes every picture.
  func removeAll()

  /// Removes the pictures for which a closure returns `true`. The closure is short and does not use the cache.
  func removeValues(where shouldRemove: (ImageKey, CachedPicture) -> Bool)

  /// The bytes that all pictures take together.
  var totalCost: Int { get }

  /// The largest number of bytes that all pictures may take together; `.max` without a limit. Prefetching and
  /// preloading end when their share of it is used.
  var costLimit: Int { get }

  /// Counts since the cache was made, and its size. A part of `ImagePipeline.statistics`.
  var statistics: MemoryCacheStatistics { get }
}

extension MemoryCache: ImageCaching where Key == ImageKey, Value == CachedPicture {
  /// Stores a picture for the configuration's lifetime.
  @discardableResult
  public func store(_ value: CachedPicture, forKey key: ImageKey, cost: Int) -> Bool {
    store(value, forKey: key, cost: cost, lifetime: nil)
  }
}

/// A picture in the memory cache, with the data that says whether it is still valid for its source.
///
/// A class, so that a hit retains one reference and copies nothing.
public final class CachedPicture: Sendable {
  /// The picture.
  public let picture: Picture
  /// The stamp of the local file from which the picture was made; `nil` for other sources.
  let stamp: FileStamp?
  /// The validity of the web original from which the picture was made; `nil` for other sources.
  var validity: OriginalValidity? { isFromWeb ? webValidity : nil }
  /// Whether there is one. Apart from it, because an optional of it is copied by slow calls, which a hit need not make.
  let isFromWeb: Bool
  private let webValidity: OriginalValidity
  /// The name of the cache format for which the picture was made; `nil` without one.
  let formatName: String?

  init(picture: Picture, stamp: FileStamp?, validity: OriginalValidity?, formatName: String? = nil) {
    self.picture = picture
    self.stamp = stamp
    isFromWeb = validity != nil
    webValidity = validity ?? .unknown
    self.formatName = formatName
  }

  /// `validity.isFresh`; true if there is none.
  func isFresh(at date: Date) -> Bool { !isFromWeb || webValidity.isFresh(at: date) }

  /// What a response says of the picture.
  func verdict(at date: Date) -> ImageResponse.Verdict {
    isFromWeb ? ImageResponse.Verdict(webValidity, now: date) : .none
  }
}
