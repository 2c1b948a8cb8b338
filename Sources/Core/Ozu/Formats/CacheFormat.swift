import OzuBase

/// A named recipe for pictures: their size, and the most bytes that they may take on disk. Its pictures have a place of
/// their own in the caches.
///
/// ```swift
/// let thumbnail = CacheFormat(
///   "thumbnail", size: PixelSize(width: 320, height: 240), mode: .aspectFill, compressionQuality: 0.5,
///   diskCapacity: 1 << 20
/// ) { $0.preloadPolicy = .lastSession }
/// pipeline.register(thumbnail)
/// let picture = try await pipeline.image(for: ImageRequest(url: url, format: thumbnail))
/// ```
///
/// The name is the format's identity. The caches keep the pictures of different names apart. Registering another format
/// of the same name, or using one with other contents, removes the pictures of the first one. Closures cannot be
/// compared, so a format with a hook is equal to no other: make it once and keep it, not once for each cell. All
/// properties except `diskCapacity` are constant, because the pictures in the caches were made with them.
///
/// A class, because a name has one place on disk: all code that holds the format sees its current size there and can
/// change its capacity.
@dynamicMemberLookup
public final class CacheFormat: Sendable {
  /// A step of the app that changes a picture before it goes into the caches.
  ///
  /// - Parameters:
  ///   - key: the name of the source: the URL, or the fetcher's key.
  ///   - picture: the picture at this stage.
  /// - Returns: the picture for the next stage. The request fails if the step throws or returns `nil`.
  public typealias Hook = @Sendable (_ key: String, _ picture: Picture) throws -> Picture?

  /// Selects the renditions on disk that are loaded into memory when their format is registered.
  public enum PreloadPolicy: Hashable, Sendable, CaseIterable {
    /// Nothing.
    case none
    /// Those used at most an hour before the one that was used last.
    case lastSession
    /// As many as memory has room for.
    case all
  }

  /// What few formats change.
  public struct Options: Sendable {
    /// Whether pictures smaller than the size are enlarged. Off by default. The mode `none` ignores it.
    public var allowsUpscaling = false
    /// Whether `aspectFill` cuts off the parts outside the size, so that pictures have exactly the size. On by default.
    public var crops = true
    /// The renditions that are loaded into memory when the format is registered. None by default.
    public var preloadPolicy = PreloadPolicy.none
    /// Called with the whole picture before it is resized, only when no cache has the result.
    public var preResize: Hook?
    /// Called with the resized picture before it goes into the caches, only when no cache has the result.
    public var postResize: Hook?
  }

  /// The identity of the format.
  public let name: String
  /// The size in pixels. With an empty size pictures keep their own.
  public let size: PixelSize
  /// How pictures are resized to the size. By default they fit inside it (`aspectFit`).
  public let mode: ScaleMode
  /// The quality of renditions on disk, 0 to 1, for opaque pictures; others are stored without loss. 1 by default.
  public let compressionQuality: Double
  /// The hooks, and what else few formats change. Also read as properties of the format: `format.crops`.
  public let options: Options

  private struct Storage {
    var capacity: Int
    var stores: [WeakStore] = []
  }

  private struct WeakStore: Sendable {
    weak var store: FormatStore?
    /// Whether the app has registered another format there in place of this one, which answers its requests. Otherwise the next use of
    /// this one takes the name back.
    let isReplaced: Bool
  }

  /// Different for each format: work in one format is not shared with another of its name.
  let number = lastNumber.add(1, ordering: .relaxed).newValue
  private static let lastNumber = Atomic(0)

  private let storage: Mutex<Storage>

  /// Makes a format. It is registered when it is first used, or by `ImagePipeline.register(_:)`.
  ///
  /// - Parameters:
  ///   - compressionQuality: values outside of 0 to 1 count as the nearest of the two.
  ///   - diskCapacity: in bytes; with 0 (the default) the renditions are kept in memory only.
  ///   - configure: changes the default options: `{ $0.postResize = … }`.
  public init(
    _ name: String, size: PixelSize = PixelSize(width: 0, height: 0), mode: ScaleMode = .aspectFit,
    compressionQuality: Double = 1, diskCapacity: Int = 0,
    _ configure: (inout Options) -> Void = { _ in }
  ) {
    var options = Options()
    configure(&options)
    self.name = name
    self.size = size
    self.mode = mode
    self.compressionQuality = compressionQuality.isNaN ? 1 : min(1, max(0, compressionQuality))
    self.options = options
    storage = Mutex(Storage(capacity: max(0, diskCapacity)))
  }

  /// The most bytes that the format's renditions may take on disk; with 0 they are kept in memory only. A lower value
  /// evicts those that were used the longest ago, as soon as the disk is free.
  public var diskCapacity: Int {
    get { storage.withLock { $0.capacity } }
    set {
      let stores = storage.withLock { storage -> [FormatStore] in
        guard storage.capacity != max(0, newValue) else { return [] }
        storage.capacity = max(0, newValue)
        return storage.stores.compactMap { $0.isReplaced ? nil : $0.store }
      }
      for store in stores { store.capacityDidChange(of: self) }
    }
  }

  /// The bytes that the format's renditions take on disk, in all pipelines with which it is registered. Blocks while a
  /// disk cache is opened, so do not call it on the main thread.
  public var diskByteCount: Int {
    storage.withLock { $0.stores }.reduce(0) { sum, entry in
      entry.isReplaced ? sum : sum + (entry.store?.caches.byteCount(of: self) ?? 0)
    }
  }

  /// An option.
  public subscript<Value>(dynamicMember option: KeyPath<Options, Value>) -> Value { options[keyPath: option] }

  /// The recipe; `nil` if the format does not resize.
  public var resize: Resize? {
    guard !size.isEmpty, mode != .none else { return nil }
    return Resize(size, mode: mode, crops: options.crops, allowsUpscaling: options.allowsUpscaling)
  }

  var hasHooks: Bool { options.preResize != nil || options.postResize != nil }

  /// Whether the other format makes the same pictures and has the same room for them.
  func isInterchangeable(with other: CacheFormat) -> Bool {
    !hasHooks && !other.hasHooks && size == other.size && mode == other.mode
      && options.allowsUpscaling == other.options.allowsUpscaling && options.crops == other.options.crops
      && compressionQuality == other.compressionQuality && diskCapacity == other.diskCapacity
  }

  /// The picture, resized to the format's size, without the hooks; the same picture if its size does not change.
  public func resized(_ picture: Picture) -> Picture {
    resize.map { picture.resized($0) } ?? picture
  }

  /// Notes a store that keeps renditions of this format, or in which it is replaced.
  func attach(to store: FormatStore, isReplaced: Bool = false) {
    changeStores { stores in
      stores.removeAll { $0.store === store }
      stores.append(WeakStore(store: store, isReplaced: isReplaced))
    }
  }

  /// Removes a store in which another format has taken the name.
  func detach(from store: FormatStore) {
    changeStores { stores in stores.removeAll { $0.store === store } }
  }

  private func changeStores(_ change: (inout [WeakStore]) -> Void) {
    // Reading a weak reference makes a strong one, which may become the last. A store holds objects of the app, so the
    // strong references are released outside of the lock.
    var live: [FormatStore] = []
    defer { withExtendedLifetime(live) {} }
    storage.withLock { storage in
      live = storage.stores.compactMap(\.store)
      storage.stores.removeAll { $0.store == nil }
      change(&storage.stores)
    }
  }

  /// Whether the app has registered another format in a store in place of this one.
  func isReplaced(in store: FormatStore) -> Bool {
    storage.withLock { $0.stores }.contains { $0.isReplaced && $0.store === store }
  }
}
