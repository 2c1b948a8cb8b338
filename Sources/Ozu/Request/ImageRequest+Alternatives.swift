import OzuHTTP

/// Sources that are loaded instead of the main one.
extension ImageRequest {
  /// Sources to try in this order if the main source fails, such as a mirror or a smaller version. Each is cached
  /// under its own key.
  public var alternatives: [ImageSource] {
    get { fields.alternatives }
    set { change { $0.alternatives = newValue } }
  }

  /// The source to load instead while the user wants to save data (Low Data Mode on Apple platforms): a smaller
  /// version. `nil` (the default) loads the main source then too. It is cached under its own key; a cached picture of
  /// the main source is preferred.
  public var lowDataSource: ImageSource? {
    get { fields.lowDataSource }
    set { change { $0.lowDataSource = newValue } }
  }

  /// Whether there is another source to try.
  var hasAlternatives: Bool { !fields.alternatives.isEmpty || hasLowDataSource }

  /// Whether there is another source for saving data.
  var hasLowDataSource: Bool { fields.hasLowDataSource }

  /// The sources to try after a failure of the first, in this order.
  func substitutes(after error: ImageError) -> [ImageSource] {
    guard let lowDataSource, error.kind == .transport, error.httpError?.reason == .constrainedNetwork else {
      return alternatives
    }
    return [lowDataSource] + alternatives
  }

  /// The same request for another source, without alternatives.
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
