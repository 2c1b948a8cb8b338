import Foundation

extension ImagePipeline {
  /// The formats that are registered, by their names.
  public var formats: [String: CacheFormat] { formatStore.formats }

  /// Registers a format. Another one of the same name is replaced, and what it left in the caches is cleared;
  /// registering the same one again does nothing. Requests that still name the other one are answered in this one.
  ///
  /// Then renditions on disk go into memory as the format's preload policy says, those used last first, until
  /// memory is full or the first request of the format arrives.
  ///
  /// - Returns: the preload, to wait for it or to cancel it. It need not be kept.
  @discardableResult
  public func register(_ format: CacheFormat) -> CacheFormat.Preload {
    guard formatStore.register(format), format.preloadPolicy != .none, format.diskCapacity > 0 else {
      return CacheFormat.Preload(FormatPreload(), Task { 0 })
    }
    let preload = FormatPreload()
    formatStore.begin(preload, of: format)
    let work = Task.detached { [self] in
      let count = await PreloadFormat(context: context, format: format, preload: preload).run()
      formatStore.end(preload, of: format)
      return count
    }
    return CacheFormat.Preload(preload, work)
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

extension CacheFormat {
  /// The preload that `ImagePipeline.register(_:)` starts. It ends by itself when all is in memory that the format's policy names,
  /// when memory is full, or with the first request of the format.
  public struct Preload: Sendable {
    private let stopper: FormatPreload
    private let work: Task<Int, Never>

    init(_ stopper: FormatPreload, _ work: Task<Int, Never>) {
      self.stopper = stopper
      self.work = work
    }

    /// How many pictures went into memory. Waits for the end of the preload.
    public var count: Int {
      get async { await work.value }
    }

    /// Ends the preload. The pictures that are in memory stay there.
    public func cancel() { stopper.stop() }
  }
}
