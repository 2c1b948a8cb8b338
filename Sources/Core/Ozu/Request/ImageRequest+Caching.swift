import OzuBase
import OzuHTTP

/// Where results of a request may come from, and where they are kept.
extension ImageRequest {
  /// Whether memory may answer.
  var readsMemory: Bool { cachePolicy.readsCaches && readLayers.contains(.memory) }
  /// Whether renditions in the stores may answer.
  var readsRenditions: Bool { cachePolicy.readsCaches && readLayers.contains(.renditions) }
  /// Whether originals in the stores may answer.
  var readsOriginals: Bool { cachePolicy.readsCaches && readLayers.contains(.originals) }
  /// Whether the result is put into memory.
  var writesMemory: Bool { cachePolicy.writesCaches && writeLayers.contains(.memory) }
  /// The mode of the HTTP cache, whose storage is the stores and writes nothing for a request that does not write originals.
  var httpMode: HTTPCacheMode {
    cachePolicy == .useCaches && !readLayers.contains(.originals) ? .reload : cachePolicy.httpMode
  }

  /// Whether the result is written to the stores.
  var writesRenditions: Bool { cachePolicy.writesCaches && writeLayers.contains(.renditions) }
  /// Whether the original is written to the stores.
  var writesOriginals: Bool { cachePolicy.writesCaches && writeLayers.contains(.originals) }

  /// The request for a further picture of a source that this request has reloaded: of the bytes that are stored since, because other
  /// results in the caches may be from before.
  var afterReload: ImageRequest {
    guard cachePolicy == .reload else { return self }
    return with { ($0.cachePolicy, $0.readLayers) = (.useCaches, .originals) }
  }

  /// The request for the original, at its own size, without steps and in the colours of the pipeline, which other programs know
  /// without a profile: its key, its policies and its other sources stay.
  package var original: ImageRequest {
    afterReload.with { request in
      let allowsTruncation = request.allowsTruncation
      request.changeRecipe { $0.recipe = Recipe() }
      request.allowsTruncation = allowsTruncation
      request.scale = 1
    }
  }

  /// The kind under which the finished picture is stored.
  var renditionKind: ImageStoreKind { format?.kind ?? .rendition }

  /// Whether a picture made from an original may be served without asking the origin. False if the request has its
  /// own HTTP rules, because the time was computed by the rules of the pipeline.
  func mayServe(_ validity: OriginalValidity?, at date: Date) -> Bool {
    validity.map { httpPolicy == nil && $0.isFresh(at: date) } ?? true
  }

  /// The same for a picture in memory.
  func mayServe(_ cached: CachedPicture, at date: Date) -> Bool {
    !cached.isFromWeb || httpPolicy == nil && cached.isFresh(at: date)
  }

  /// Whether a rendition can be on disk, judged by the request alone.
  var mayHaveRendition: Bool { renditionPlace == .own }

  /// Whether a finished picture may be stored on disk. Not an animation: a rendition would be a still picture, so it
  /// is made from its original each time. Not a picture whose colours no file can state.
  func mayKeepRendition(_ picture: Picture) -> Bool {
    if let format, format.diskCapacity == 0 { return false }
    return picture.animation == nil && picture.isWritable
  }

  /// Whether a finished picture is its original, pixel for pixel, so that a rendition would only store it twice.
  func isOriginal(_ picture: Picture) -> Bool {
    decodedSteps.isEmpty && picture.header?.size == picture.size
  }

  /// The key as the app uses it: its own key, or the URL.
  package var plainKey: String {
    let mark = ImageSource.ownKey("")
    if hasOwnKey { return String(sourceKey.dropFirst(mark.count)) }
    return switch source {
    case .url(let url): url.absoluteString
    case .request(let request): request.url.absoluteString
    case .data(_, let key), .picture(_, let key): key
    case .fetcher(let fetcher): fetcher.key
    }
  }

  /// The key by which prefetches are compared.
  var prefetchKey: JobKey { .load(self, number: 0) }
}

/// Where the finished picture of a request is on disk.
enum RenditionPlace: Sendable {
  /// Nowhere: there may be hundreds of parts, each of which can be made from the original, or the format has no room on disk.
  case none
  /// In an entry of its own. A picture that the app has set under a key has no original, and neither have the pixels of a fetcher.
  case own
  /// In that of its original, unless originals are not stored: pictures of URLs and files without a recipe.
  case original
}

extension ImageRequest.Fields {
  var renditionPlace: RenditionPlace {
    // Field by field: a copy of the parts goes through tables of the runtime.
    if recipe.parts.resize?.region != nil { return .none }
    if case .fetcher = source { return .own }
    let hasSteps = recipe.parts.resize != nil || !recipe.parts.processors.isEmpty
    return hasSteps || recipe.parts.format != nil || hasOwnKey ? .own : .original
  }
}
