import Foundation
import OzuHTTP

/// The picture from its source.
extension LoadImage {
  /// The original, from wherever it comes, and what is made of it.
  func fetchSource() -> JobStep? {
    let key = JobKey.fetch(request, number: context.sharingNumber())
    let live = fetched ?? liveFetch(key)
    isFetchLive = live != nil
    if let live { return make(of: .success(live)) }
    // A closure that holds one object and no more takes no memory of its own.
    let begin: @Sendable () -> JobStart =
      if isSureToDownload {
        { [self] in JobStart(FetchWork(request, context), in: .network) }
      } else {
        { [self] in JobStart(FetchWork(request, context)) }
      }
    let other = JobDependence(key: key, deadline: context.deadline(.network), make: begin)
    return wait(for: other) { load, wake in
      guard let outcome = load.outcome(ofFetch: wake) else { return load.failCancelled() }
      guard case .success(let fetched) = outcome, load.configuration.isCoalescingEnabled,
        load.request.cachePolicy == .useCaches
      else { return load.make(of: outcome) }
      let live = load.context.liveFetches.note(fetched, for: .fetch(load.request, number: 0))
      return load.make(of: .success(live))
    }
  }

  private func make(of outcome: Result<FetchedData, ImageError>) -> JobStep? {
    switch outcome {
    case .success(let fetched): renew(fetched) ?? renderSource(fetched)
    case .failure(let error): standIn(for: error)
    }
  }

  /// The original once more, past what the caches have.
  private func fetchAgain(
    then: @escaping (LoadImage, Result<FetchedData, ImageError>) -> JobStep?
  ) -> JobStep? {
    var request = request
    request.cachePolicy = .reload
    isFetchLive = false
    let key = JobKey.fetch(request, number: context.sharingNumber())
    let other = JobDependence(key: key, deadline: context.deadline(.network)) { [context, request] in
      JobStart(FetchWork(request, context))
    }
    return wait(for: other) { load, wake in
      guard let outcome = load.outcome(ofFetch: wake) else { return load.failCancelled() }
      return then(load, outcome)
    }
  }

  /// What a download has come to; `nil` when it was none.
  private func outcome(ofFetch wake: Wake) -> Result<FetchedData, ImageError>? {
    if wake.overdue != nil { return .failure(.deadlineExceeded(request.source.name, stage: .network)) }
    guard let fetch = wake.input as? FetchWork else { return nil }
    endPreviews(of: fetch)
    return fetch.outcome
  }

  private func failCancelled() -> JobStep { fail(.cancelled(request.source.name)) }

  /// Whether nobody but the origin can answer, as hints and notes tell. Then the download stands in its queue from the
  /// beginning, and looks at source and caches when it has a place: of thousands of loads that are thrown away most
  /// never have one.
  private var isSureToDownload: Bool {
    guard isFromWeb, request.cachePolicy != .cacheOnly, context.failures.isEmpty else { return false }
    return !context.caches.mayHaveOriginal(for: request)
      && context.backlog.writing(originalOf: request.key.source) == nil
  }

  /// What another load still works with, if it may be used without asking again.
  private func liveFetch(_ key: JobKey) -> FetchedData? {
    guard request.cachePolicy == .useCaches, configuration.isCoalescingEnabled,
      let live = context.liveFetches.data(for: key), live.allowsStoring,
      request.mayServe(live.validity, at: configuration.testing.currentDate())
    else { return nil }
    guard let path = request.source.filePath else { return live }
    return FileStamp(path: path) == live.stamp ? live : nil
  }

  /// Where a load has the bytes from. What another load has fetched before this one wanted it is at hand for it: the
  /// answer is the same whether the caches have them already or not yet, and counts as no second download.
  func origin(
    of fetched: FetchedData
  ) -> (source: ImageResponse.Source, timings: StageTimings, verdict: ImageResponse.Verdict) {
    guard isFetchLive, fetched.source != .stale else {
      return (fetched.source, fetched.timings, ImageResponse.Verdict(fetched.http?.decision))
    }
    let verdict = ImageResponse.Verdict(fetched.validity, now: configuration.testing.currentDate())
    return (.original, StageTimings(), verdict)
  }

  /// Whether the picture is handed over undecoded: nothing is made of it.
  private var isDeferred: Bool {
    !configuration.decoding.isDecompressionEnabled && request.decodingResize == nil
      && request.decodedSteps.isEmpty
      && request.convertsColors
  }

  /// The picture made of what was fetched. An original of a store that does not decode is fetched again.
  func renderSource(_ fetched: FetchedData) -> JobStep {
    render(fetched) { load, error in
      load.context.liveFetches.forget(.fetch(load.request, number: 0))
      guard fetched.isFromStore, !error.isEndOfInterest, load.request.cachePolicy == .useCaches else {
        load.noteFailure(error)
        return load.fail(error)
      }
      let (caches, request) = (load.context.caches, load.request)
      load.context.backlog.enqueue(originalOf: request.key.source) {
        caches.removeOriginal(for: request)
      }
      return load.fetchAgain { load, outcome in
        switch outcome {
        case .failure(let error):
          load.noteFailure(error)
          return load.fail(error)
        case .success(let again):
          return load.render(again) { load, error in
            load.noteFailure(error)
            return load.fail(error)
          }
        }
      }
    }
  }

  private func render(
    _ fetched: FetchedData, otherwise: @escaping (LoadImage, ImageError) -> JobStep?
  ) -> JobStep {
    let first: RenderStep
    let encodedByteCount: Int
    switch fetched.content {
    case .data(let data):
      first =
        isDeferred
        ? .deferDecoding(data)
        : .decode(data, request.decodingResize, request.colors, fetched.file)
      encodedByteCount = data.count
    case .picture(let whole):
      first = .resize(whole, request.decodingResize)
      encodedByteCount = 0
    }
    return render(first, request.decodedSteps[...], from: fetched) { load, outcome in
      switch outcome {
      case .failure(let error): return otherwise(load, error)
      case .success(let rendered):
        load.fetched = fetched
        let origin = load.origin(of: fetched)
        let loaded = LoadedPicture(
          picture: rendered.picture, source: origin.source, encodedByteCount: encodedByteCount,
          timings: origin.timings.adding(rendered.timings), verdict: origin.verdict,
          renditionMiss: load.made.miss)
        return load.finish(loaded, after: load.store(rendered.picture, of: fetched))
      }
    }
  }

  private func noteFailure(_ error: ImageError) {
    guard request.source.webURL != nil, request.cachePolicy.writesCaches else { return }
    context.failures.note(
      error, for: request.key.source, freshUntil: nil, now: configuration.testing.currentDate())
  }
}
