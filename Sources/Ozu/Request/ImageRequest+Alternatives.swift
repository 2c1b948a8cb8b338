import OzuHTTP

/// What is loaded in place of the source.
extension ImageRequest {
  /// Sources to try in this order when the one before has failed, such as a mirror or a smaller version. Each is
  /// cached as itself.
  public var alternatives: [ImageSource] {
    get { fields.alternatives }
    set { change { $0.alternatives = newValue } }
  }

  /// What to load in place of the source while the user has asked to save data (Low Data Mode on Apple platforms): a
  /// smaller version. `nil` (the default) loads the source then too. It is cached as itself; a picture that a cache
  /// has of the source is preferred.
  public var lowDataSource: ImageSource? {
    get { fields.lowDataSource }
    set { change { $0.lowDataSource = newValue } }
  }

  /// Whether there is another source to try.
  var hasAlternatives: Bool { !fields.alternatives.isEmpty || hasLowDataSource }

  /// Whether there is another source for who saves data.
  var hasLowDataSource: Bool { fields.hasLowDataSource }

  /// The sources to try after a failure of the first, in this order.
  func substitutes(after error: ImageError) -> [ImageSource] {
    guard let lowDataSource, error.kind == .transport, error.httpError?.reason == .constrainedNetwork else {
      return alternatives
    }
    return [lowDataSource] + alternatives
  }

  /// The same request of another source, which has no alternatives.
  func alternative(_ source: ImageSource) -> ImageRequest {
    var request = self
    request.changeRecipe {
      $0.source = source
      $0.sourceKey = source.key
      $0.hasOwnKey = false
      $0.alternatives = []
      $0.lowDataSource = nil
    }
    return request
  }
}
