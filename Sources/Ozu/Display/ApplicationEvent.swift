/// What becomes of an app as a whole, as far as its pipelines care. Adapters for toolkits tell it.
public enum ApplicationEvent: Hashable, Sendable {
  /// The system asks for memory.
  case memoryWarning
  /// The app is not seen any more, and may be stopped at any time.
  case background
  /// The app is seen again.
  case foreground
}

extension ImagePipeline {
  /// Does what an event calls for, and returns when it is done.
  ///
  /// - A memory warning empties the memory cache and gives idle pixel memory back. What views show stays.
  /// - In the background idle pixel memory is given back too, and the disk cache is brought to disk; pictures stay in
  ///   memory, for the moment the app returns.
  /// - In the foreground what has failed counts as untried: much does because the app was stopped.
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
