/// What is wanted: the picture of a request as a file.
struct EncodingGoal: Sendable {
  /// As it was asked, under the pipeline's key.
  let request: ImageRequest
  let format: OutputFormat
  let key: CacheKey

  init(_ request: ImageRequest, _ format: OutputFormat) {
    self.request = request
    self.format = format
    key = request.key.rendition.derived(format.identifier)
  }

  /// The load of the picture: from the bytes of its source alone, because a rendition may have lost something; and only
  /// those bytes are kept.
  var load: ImageRequest {
    request.with {
      $0.readLayers = request.readLayers.intersection(.originals)
      $0.writeLayers = request.writeLayers.intersection(.originals)
      $0.colors.policy = format.colorProfile.colorPolicy
    }
  }

  /// The same with its colours converted: for formats without a place for a profile.
  var convertedLoad: ImageRequest { load.with { $0.colors.policy = .convertToSRGB } }

  var readsStores: Bool { request.readsRenditions && !isPassing }
  var writesStores: Bool { request.writesRenditions && !isPassing }
  var readsMemory: Bool { request.readsMemory && !isPassing }
  var writesMemory: Bool { request.writesMemory && !isPassing }

  /// Whether it may be another file the next time: nobody can tell what closures of the app make of a picture, and another
  /// format may have taken the name meanwhile.
  private var isPassing: Bool { request.format.map { $0.hasHooks || $0.isRetired } ?? false }
}
