import OzuSynchronization

/// A named recipe with a place of its own in the caches: what size pictures are brought to, and how much of the disk
/// they may take.
///
/// ```swift
/// let thumbnail = CacheFormat(
///   "thumbnail", size: PixelSize(width: 320, height: 240), mode: .aspectFill, compressionQuality: 0.5,
///   diskCapacity: 1 << 20, preloadPolicy: .lastSession)
/// pipeline.register(thumbnail)
/// let picture = try await pipeline.image(for: ImageRequest(url: url, format: thumbnail))
/// ```
///
/// The name is the format's identity: pictures of formats with different names never meet, and registering another
/// format of the same name clears what the first one left. Everything but `diskCapacity` is fixed when a format is
/// made, because what is in the caches was made by it.
///
/// A class, for there is one place on disk to a name: whoever holds the format sees its current size and can change
/// its capacity.
public final class CacheFormat: Sendable {
  /// A step of the app's own on the way of a picture into the caches.
  ///
  /// - Parameters:
  ///   - key: what the source is called: the URL, or the fetcher's key.
  ///   - picture: the picture as it is at this stage.
  /// - Returns: the picture to go on with. Throwing, or returning `nil`, fails the request.
  public typealias Hook = @Sendable (_ key: String, _ picture: Picture) throws -> Picture?

  /// What of a format's renditions on disk goes into memory when it is registered.
  public enum PreloadPolicy: Hashable, Sendable, CaseIterable {
    /// Nothing.
    case none
    /// What was used within an hour of what was used last.
    case lastSession
    /// Everything that memory has room for.
    case all
  }

  /// What tells the format from others.
  public let name: String
  /// The size in pixels; an empty one leaves pictures at their own size.
  public let size: PixelSize
  /// How pictures are brought to the size; inside it (`aspectFit`) by default.
  public let mode: ScaleMode
  /// Whether pictures smaller than the size are enlarged. Off by default; of no effect for the mode `none`.
  public let allowsUpscaling: Bool
  /// Whether `aspectFill` cuts off the parts outside the size, so that pictures have exactly the size. On by default.
  public let crops: Bool
  /// The quality of renditions on disk, 0 to 1, for opaque pictures; others are kept lossless. 1 by default.
  public let compressionQuality: Double
  /// What goes into memory when the format is registered. Nothing by default.
  public let preloadPolicy: PreloadPolicy
  /// Called with the whole picture before it is resized, only when no cache has the result.
  public let preResize: Hook?
  /// Called with the resized picture before it goes into the caches, only when no cache has the result.
  public let postResize: Hook?

  private struct Place {
    var capacity: Int
    var stores: [WeakStore] = []
  }

  private struct WeakStore: Sendable {
    weak var store: FormatStore?
  }

  private let place: Mutex<Place>
  private let retired = Atomic(false)

  /// Makes a format. It is registered when it is first used, or by `ImagePipeline.register(_:)`.
  ///
  /// - Parameters:
  ///   - compressionQuality: held between 0 and 1.
  ///   - diskCapacity: in bytes; 0 (the default) keeps the renditions in memory alone.
  public init(
    _ name: String, size: PixelSize = PixelSize(width: 0, height: 0), mode: ScaleMode = .aspectFit,
    allowsUpscaling: Bool = false, crops: Bool = true, compressionQuality: Double = 1,
    diskCapacity: Int = 0, preloadPolicy: PreloadPolicy = .none, preResize: Hook? = nil,
    postResize: Hook? = nil
  ) {
    self.name = name
    self.size = size
    self.mode = mode
    self.allowsUpscaling = allowsUpscaling
    self.crops = crops
    self.compressionQuality = compressionQuality.isNaN ? 1 : min(1, max(0, compressionQuality))
    self.preloadPolicy = preloadPolicy
    self.preResize = preResize
    self.postResize = postResize
    place = Mutex(Place(capacity: max(0, diskCapacity)))
  }

  /// What the format's renditions may take on disk, in bytes; 0 for memory alone. Lowering it evicts those used the
  /// longest ago, as soon as the disk is free.
  public var diskCapacity: Int {
    get { place.withLock { $0.capacity } }
    set {
      let stores = place.withLock { place -> [FormatStore] in
        guard place.capacity != max(0, newValue) else { return [] }
        place.capacity = max(0, newValue)
        return place.stores.compactMap(\.store)
      }
      for store in stores { store.capacityDidChange(of: self) }
    }
  }

  /// The bytes that the format's renditions take on disk, in the pipelines it is registered with. Blocks while a disk
  /// cache is opened: not for a main thread.
  public var diskByteCount: Int {
    place.withLock { $0.stores }.reduce(0) { $0 + ($1.store?.byteCount(of: self) ?? 0) }
  }

  /// The recipe; `nil` when pictures stay as they are.
  public var resize: Resize? {
    guard !size.isEmpty, mode != .none else { return nil }
    return Resize(size, mode: mode, crops: crops, allowsUpscaling: allowsUpscaling)
  }

  /// Whether closures of the app have a hand in the pictures.
  var hasHooks: Bool { preResize != nil || postResize != nil }

  /// A picture brought to the format's size, hooks left aside; the same one when that changes nothing.
  public func resized(_ picture: Picture) -> Picture {
    resize.map { picture.resized($0) } ?? picture
  }

  /// Notes a store that keeps renditions of this format.
  func attach(to store: FormatStore) {
    changeStores { stores in
      if !stores.contains(where: { $0 === store }) { stores.append(store) }
    }
    retired.store(false, ordering: .relaxed)
  }

  /// Forgets a store in which another format has taken the name.
  func detach(from store: FormatStore) {
    let isUnused = changeStores { stores in stores.removeAll { $0 === store } }
    retired.store(isUnused, ordering: .relaxed)
  }

  /// Changes the list of stores.
  ///
  /// - Returns: whether it is empty now.
  @discardableResult
  private func changeStores(_ change: (inout [FormatStore]) -> Void) -> Bool {
    // To look at a weak reference makes a strong one, which may be the last, and a store holds objects of the app: the
    // strong ones are released outside of the lock.
    var live: [FormatStore] = []
    defer { withExtendedLifetime(live) {} }
    return place.withLock { place in
      live = place.stores.compactMap(\.store)
      var stores = live
      change(&stores)
      place.stores = stores.map(WeakStore.init)
      return stores.isEmpty
    }
  }

  /// Whether another format has taken the name: what is still on its way must not enter the caches.
  var isRetired: Bool { retired.load(ordering: .relaxed) }
}
