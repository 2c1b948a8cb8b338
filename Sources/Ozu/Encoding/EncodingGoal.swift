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
      if format.colorProfile == .embed { $0.colorPolicy = format.colorProfile.colorPolicy }
    }
  }

  /// The same with its colours converted: for formats without a place for a profile.
  var convertedLoad: ImageRequest { load.with { $0.colorPolicy = .convertToSRGB } }

  var readsStores: Bool { request.readsRenditions && !hasHooks }
  var writesStores: Bool { request.writesRenditions && !hasHooks }
  var readsMemory: Bool { request.readsMemory && !hasHooks }
  var writesMemory: Bool { request.writesMemory && !hasHooks }

  /// Nobody can tell what closures of the app make of a picture the next time.
  private var hasHooks: Bool { request.format?.hasHooks == true }
}
