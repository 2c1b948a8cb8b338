/// The goal of an encoding: the picture of a request in an output format.
struct EncodingGoal: Sendable {
  /// The request of the app, under the pipeline's key rules.
  let request: ImageRequest
  let format: OutputFormat
  let key: CacheKey

  init(_ request: ImageRequest, _ format: OutputFormat) {
    self.request = request
    self.format = format
    key = request.key.rendition.derived(format.identifier)
  }

  /// The load of the picture. It uses only the bytes of the source, because a rendition may have losses, and stores
  /// only those bytes.
  var load: ImageRequest {
    request.with {
      $0.readLayers = request.readLayers.intersection(.originals)
      $0.writeLayers = request.writeLayers.intersection(.originals)
      $0.decoding.policy = format.colorProfile.colorPolicy
    }
  }

  /// The same with converted colours: for formats that cannot contain a profile.
  var convertedLoad: ImageRequest { load.with { $0.decoding.policy = .convertToSRGB } }

  var readsStores: Bool { request.readsRenditions && !isPassing }
  var writesStores: Bool { request.writesRenditions && !isPassing }
  var readsMemory: Bool { request.readsMemory && !isPassing }
  var writesMemory: Bool { request.writesMemory && !isPassing }

  /// Whether the next file may differ, so that this one is not cached: the result of closures is unknown, and another
  /// format may have taken the name meanwhile.
  private var isPassing: Bool { request.format.map { $0.hasHooks || $0.isRetired } ?? false }
}
