import Foundation

/// What is shown of a picture while it is downloaded.
extension LoadImage {
  /// Begins to make previews of a download; `nil` where there are none.
  func beginPreviews(of key: PipelineParts.JobKey) -> Previews? {
    guard configuration.isProgressiveDecodingEnabled, configuration.dataTransformation == nil,
      let make = configuration.makeProgressiveDecoder,
      case .network? = try? request.source.access()
    else { return nil }
    let maker = PreviewMaker(
      make(configuration.codecs, request.resize), request: request, configuration: configuration,
      queue: parts.decodeQueue, priority: job.priority, store: { [self] in store($0) },
      report: { [self] in show($0, isStored: $1) })
    let tap = parts.taps.tap(for: key)
    return Previews(maker: maker, tap: tap, listener: tap.listen { maker.append($0) })
  }

  /// Previews that are being made, and where their bytes come from.
  struct Previews {
    let maker: PreviewMaker
    let tap: BodyTap
    let listener: Int

    func end() {
      tap.removeListener(listener)
      maker.end()
    }
  }

  /// Puts a preview into memory, unless the finished picture is there. Tells nobody.
  private func store(_ preview: Picture) -> Bool {
    guard configuration.isStoringPreviewsInMemoryCache, request.cachePolicy == .useCaches,
      request.writesMemory, parts.caches.finishedPicture(for: request) == nil
    else { return false }
    return parts.caches.insert(preview, stamp: nil, validity: nil, for: request)
  }

  private func show(_ preview: Picture, isStored: Bool) {
    if isStored { parts.caches.tellStored(preview, for: request) }
    job.report(preview: preview)
  }

  /// Of a picture that failed nothing stays.
  func removePreview() {
    guard configuration.isProgressiveDecodingEnabled,
      parts.caches.memory.contains(request.key),
      let cached = parts.caches.memory.value(forKey: request.key), cached.picture.isPreview
    else { return }
    parts.caches.memory.removeValue(forKey: request.key)
  }
}
