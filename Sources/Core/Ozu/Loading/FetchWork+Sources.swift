import OzuBase

/// Sources that are not on the web: files, and fetchers that do not stream.
extension FetchWork {
  func read(_ path: String) throws(ImageError) -> FetchedData {
    let (data, stamp) = try context.events.observeFile(name) { () throws(ImageError) in
      try FileReader.read(path, limit: configuration.decoding.limits.encodedByteCount)
    }
    return FetchedData(
      .data(data), source: .original, time: time(.read), stamp: stamp,
      file: FileIdentity(stamp.number(of: path)))
  }

  func readOriginal(
    _ fetcher: any ImageFetching, from tiers: ImageCaches.Tiers
  ) throws(ImageError) -> JobStep {
    if let data = context.caches.original(for: request, from: tiers) {
      return finish(
        .success(FetchedData(.data(data), source: .original, time: time(.read), isFromStore: true)))
    }
    guard tiers == .near, context.caches.mayHave(.original(request), in: .far) else {
      return try ask(fetcher)
    }
    return go(.levels, .readingOriginal(fetcher, .far))
  }

  func ask(_ fetcher: any ImageFetching) throws(ImageError) -> JobStep {
    if request.cachePolicy == .cacheOnly { throw .notCached(name) }
    return go(.network, .asking(.fetcher(fetcher)))
  }

  func fetched(
    by fetcher: any ImageFetching, _ priority: ImagePriority
  ) async -> Result<FetchedData, ImageError> {
    start = context.instant
    do {
      var lifetime: SourceLifetime?
      let content = try await context.events.observeFetcher(name) {
        guard let canvas = fetcher as? CanvasFetcher else { return try await fetcher.fetch() }
        guard let pipeline = context.pipeline.value else { throw CancellationError() }
        let drawn = try await canvas.drawn(
          by: pipeline, priority: priority, cachePolicy: request.cachePolicy)
        lifetime = drawn.lifetime
        return .picture(drawn.picture)
      }
      let now = configuration.testing.currentDate()
      // Without an identity of a body it is never renewed, but drawn again of pictures that are.
      let rules = lifetime.map { lifetime -> FetchedData.Rules in
        let validity = OriginalValidity(
          receptionDate: now, freshUntil: now.addingTimeInterval(lifetime.freshSeconds), bodyIdentity: "",
          mayUseOffline: lifetime.mayUseOffline)
        return .derived(validity, allowsStoring: lifetime.allowsStoring)
      }
      return .success(FetchedData(content, source: .network, time: time(.network), rules: rules))
    } catch let error as ImageError {
      return .failure(error)
    } catch is CancellationError {
      return .failure(.cancelled(name))
    } catch {
      return .failure(.fetchFailed(name, underlying: error))
    }
  }
}
