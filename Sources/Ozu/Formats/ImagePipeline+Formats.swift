import Foundation

extension ImagePipeline {
  /// The formats that are registered, by their names.
  public var formats: [String: CacheFormat] { formatStore.formats }

  /// Registers a format. Another one of the same name is replaced, and what it left in the caches is cleared;
  /// registering the same one again does nothing.
  ///
  /// Then renditions on disk go into memory as the format's preload policy says, those used last first, until
  /// memory is full or the first request of the format arrives.
  ///
  /// - Returns: the preload; its value is how many pictures went into memory. It need not be kept.
  @discardableResult
  public func register(_ format: CacheFormat) -> Task<Int, Never> {
    guard formatStore.register(format), format.preloadPolicy != .none, format.diskCapacity > 0 else {
      return Task { 0 }
    }
    let preload = FormatPreload()
    formatStore.begin(preload, of: format)
    return Task.detached { [self] in
      let count = await PreloadFormat(context: context, format: format, preload: preload).run()
      formatStore.end(preload, of: format)
      return count
    }
  }

  /// Takes note that a view asks for a format: it is registered, or what is being preloaded for it stops.
  func use(_ format: CacheFormat) {
    if formatStore.format(named: format.name) == nil {
      register(format)
    } else {
      formatStore.noteRequest(in: format)
    }
  }

  /// Registers a format unless one of its name is there.
  func registerIfUnknown(_ format: CacheFormat) {
    if formatStore.format(named: format.name) == nil { register(format) }
  }
}
