import Foundation

extension ImagePipeline {
  /// Direct access to what the caches hold, by request.
  ///
  /// ```swift
  /// pipeline.cache[request] = picture
  /// if let shown = pipeline.cache[request] { view.show(shown) }
  /// ```
  public var cache: Cache { Cache(parts: parts) }

  /// The layers of the caches.
  public struct CacheLayers: OptionSet, Hashable, Sendable {
    /// The set as bits.
    public let rawValue: Int

    /// Makes a set of bits.
    public init(rawValue: Int) {
      self.rawValue = rawValue
    }

    /// The memory cache.
    public static let memory = CacheLayers(rawValue: 1)
    /// The disk cache.
    public static let disk = CacheLayers(rawValue: 2)
    /// Both.
    public static let all: CacheLayers = [.memory, .disk]
  }

  /// What the caches of a pipeline hold.
  ///
  /// Everything here is synchronous. What includes the disk reads files on the calling thread: not for a main
  /// thread, nor for code on Swift's cooperative threads.
  public struct Cache: Sendable {
    let parts: PipelineParts

    /// The picture of a request in memory. Setting `nil` removes it there.
    public subscript(request: ImageRequest) -> Picture? {
      get { parts.caches.cachedPicture(for: request)?.picture }
      nonmutating set {
        if let newValue {
          parts.caches.store(newValue, stamp: stamp(of: request), validity: nil, for: request)
        } else {
          parts.caches.memory.removeValue(forKey: request.key)
        }
      }
    }

    /// The picture of a request in some layers, memory first. From disk it is decoded here and now: the
    /// finished rendition, else the original with the request's recipe.
    public func image(for request: ImageRequest, layers: CacheLayers = .all) -> Picture? {
      if layers.contains(.memory), let picture = parts.caches.cachedPicture(for: request)?.picture {
        return picture
      }
      guard layers.contains(.disk) else { return nil }
      let configuration = parts.configuration
      let context = DecodingContext(limits: configuration.limits, pool: configuration.pixelBufferPool)
      if request.hasRecipe, let rendition = parts.caches.rendition(for: request),
        let picture = try? configuration.codecs.picture(from: rendition.data, context: context)
      {
        return Picture(picture.bitmap, header: rendition.header)
      }
      guard let data = parts.caches.original(for: request),
        let picture = try? configuration.codecs.picture(from: data, resize: request.resize, context: context)
      else { return nil }
      let steps = ProcessingContext(pool: configuration.pixelBufferPool, limits: configuration.limits)
      return try? picture.processed(by: request.processors, context: steps)
    }

    /// The bytes of a request's original in the disk cache.
    public func data(for request: ImageRequest) -> Data? {
      parts.caches.original(for: request)
    }

    /// Stores a picture as the result of a request, in some layers.
    ///
    /// - Throws: `EncodingError` when it cannot be encoded for the disk.
    public func store(
      _ picture: Picture, for request: ImageRequest, layers: CacheLayers = .all
    ) throws(EncodingError) {
      if layers.contains(.memory) { self[request] = picture }
      guard layers.contains(.disk) else { return }
      let data = try ImageCaches.Rendition.encoded(picture.bitmap, by: parts.configuration)
      let rendition = ImageCaches.Rendition(
        data: data, header: picture.header, stamp: stamp(of: request), validity: nil)
      parts.caches.store(rendition, for: request)
    }

    /// Whether some layer has the result of a request, or on disk the original it can be made from.
    public func contains(_ request: ImageRequest, layers: CacheLayers = .all) -> Bool {
      if layers.contains(.memory), parts.caches.cachedPicture(for: request)?.picture != nil { return true }
      return layers.contains(.disk)
        && (parts.caches.rendition(for: request) != nil || parts.caches.original(for: request) != nil)
    }

    /// Removes the result of a request from some layers, and from disk its original too.
    public func remove(_ request: ImageRequest, layers: CacheLayers = .all) {
      if layers.contains(.memory) { self[request] = nil }
      guard layers.contains(.disk) else { return }
      parts.caches.removeRendition(for: request)
      parts.caches.removeOriginal(for: request)
    }

    /// The key of a request's result.
    public func key(for request: ImageRequest) -> ImageKey { request.key }

    private func stamp(of request: ImageRequest) -> FileStamp? {
      request.source.filePath.flatMap(FileStamp.init(path:))
    }
  }
}
