/// An event of the whole app that matters to its pipelines. The adapters of toolkits report it.
public enum ApplicationEvent: Hashable, Sendable {
  /// The system is short of memory.
  case memoryWarning
  /// The app is no longer visible, and may be stopped at any time.
  case background
  /// The app is visible again.
  case foreground
}

extension ImagePipeline {
  /// Handles an event, and returns when that is done.
  ///
  /// - After a memory warning the memory cache is emptied and idle pixel memory is released. Views keep their
  ///   pictures.
  /// - In the background idle pixel memory is released too, and the disk cache is written to disk. Pictures stay in
  ///   memory for the return of the app.
  /// - In the foreground remembered failures are forgotten, because many loads fail when the app is stopped.
  public func handle(_ event: ApplicationEvent) async {
    switch event {
    case .memoryWarning:
      removeImagesFromMemory()
      configuration.decoding.pixelBufferPool.releaseIdle()
    case .background:
      configuration.decoding.pixelBufferPool.releaseIdle()
      await flush()
    case .foreground: context.failures.forgetAll()
    }
  }
}
