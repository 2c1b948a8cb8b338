import Foundation

extension ImagePipeline {
  /// The formats that are registered, by their names.
  public var formats: [String: CacheFormat] { parts.formats.formats }

  /// Registers a format. Another one of the same name is replaced, and what it left in the caches is cleared;
  /// registering the same one again does nothing.
  ///
  /// Then renditions on disk go into memory as the format's preload policy says, those used last first, until
  /// memory is full or the first request of the format arrives.
  ///
  /// - Returns: the preload; its value is how many pictures went into memory. It need not be kept.
  @discardableResult
  public func register(_ format: CacheFormat) -> Task<Int, Never> {
    guard parts.formats.register(format), format.preloadPolicy != .none, format.diskCapacity > 0 else {
      return Task { 0 }
    }
    let preload = FormatPreload()
    parts.formats.begin(preload, of: format)
    return Task.detached { [parts] in
      let count = await PreloadFormat(parts: parts, format: format, preload: preload).run()
      parts.formats.end(preload, of: format)
      return count
    }
  }

  /// Registers a format unless one of its name is there.
  func registerIfUnknown(_ format: CacheFormat) {
    if parts.formats.format(named: format.name) == nil { register(format) }
  }
}
