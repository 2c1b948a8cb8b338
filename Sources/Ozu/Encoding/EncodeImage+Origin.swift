/// The origin: comparing its bytes with a stale file, and loading the picture.
extension EncodeImage {
  func confirm(_ outcome: Result<FetchedData, ImageError>) -> JobStep {
    switch outcome {
    case .failure(let error): return serveStale(after: error)
    case .success(let fetched):
      timings.add(fetched.timings)
      guard let stale, let validity = fetched.validity, fetched.allowsStoring,
        validity.hasBody(of: stale.record.rendition.validity)
      else {
        // A file made from other bytes is removed, even if no new one may be stored.
        forget()
        stale = nil
        return load(fetched)
      }
      let renewed = EncodedEntry(stale.data, stale.record.renewed(validity), of: request)
      let source: ImageResponse.Source = fetched.source == .original ? .rendition : fetched.source
      finish(renewed, source, ImageResponse.Verdict(fetched.http?.decision), isNew: false)
      return write(renewed, fetched)
    }
  }

  /// Serves the stale file if its origin cannot be reached.
  private func serveStale(after error: ImageError) -> JobStep {
    guard error.isDisconnection, request.cachePolicy == .useCaches, let stale,
      let validity = stale.record.rendition.validity, validity.mayUseOffline
    else { return fail(error) }
    return finish(
      stale, .stale, .servedStale(validity, now: configuration.testing.currentDate()))
  }

  /// Makes the picture from its source.
  ///
  /// - Parameter fetched: the bytes of the source, if they are already fetched.
  func load(_ fetched: FetchedData?) -> JobStep {
    next = .load
    return depend(on: loadRequest, fetched)
  }

  func depend(on load: ImageRequest, _ fetched: FetchedData?) -> JobStep {
    let (context, epoch) = (context, epoch)
    let key = JobKey.load(load, number: context.resultSharingNumber(epoch, load))
    return .depend(JobDependence(key: key) { JobStart(LoadImage(load, context, epoch, fetched: fetched)) })
  }
}
