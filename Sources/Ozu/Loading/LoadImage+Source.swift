import Foundation
import OzuHTTP

/// The picture from its source.
extension LoadImage {
  /// The original, from wherever it comes, and what is made of it.
  func fetchSource() -> JobStep? {
    fetch(policy: request.cachePolicy) { load, outcome in
      switch outcome {
      case .success(let fetched): return load.renew(fetched) ?? load.renderSource(fetched)
      case .failure(let error): return load.standIn(for: error)
      }
    }
  }

  private func fetch(
    policy: CachePolicy, then: @escaping (LoadImage, Result<FetchedData, ImageError>) -> JobStep?
  ) -> JobStep? {
    var request = request
    // A change takes a copy.
    if policy != request.cachePolicy { request.cachePolicy = policy }
    let live = policy == request.cachePolicy ? fetched ?? liveFetch(request) : liveFetch(request)
    isFetchLive = live != nil
    if let live { return then(self, .success(live)) }
    let number = context.sharingNumber()
    let key = JobKey.fetch(request, number: number)
    let other = JobDependence(key: key, deadline: context.deadline(.network)) { [context, request] in
      JobStart(FetchWork(request, context))
    }
    return wait(for: other) { load, wake in
      let source = load.request.source
      if wake.overdue != nil { return then(load, .failure(.deadlineExceeded(source.name, stage: .network))) }
      guard let fetch = wake.input as? FetchWork else { return load.fail(.cancelled(source.name)) }
      load.endPreviews(of: fetch)
      guard case .success(let fetched) = fetch.outcome, number == 0, policy == .useCaches else {
        return then(load, fetch.outcome)
      }
      return then(load, .success(load.context.liveFetches.note(fetched, for: key)))
    }
  }

  /// What another load still works with, if it may be used without asking again.
  private func liveFetch(_ request: ImageRequest) -> FetchedData? {
    guard request.cachePolicy == .useCaches, configuration.isCoalescingEnabled,
      let live = context.liveFetches.data(for: .fetch(request, number: 0)), live.allowsStoring,
      request.mayServe(live.validity, at: configuration.currentDate())
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
    let verdict = ImageResponse.Verdict(fetched.validity, now: configuration.currentDate())
    return (.original, StageTimings(), verdict)
  }

  /// Whether the picture is handed over undecoded: nothing is made of it.
  private var isDeferred: Bool {
    !configuration.isDecompressionEnabled && request.decodingResize == nil && request.decodedSteps.isEmpty
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
      return load.fetch(policy: .reload) { load, outcome in
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
      first = isDeferred ? .deferDecoding(data) : .decode(data, request.decodingResize, request.colorPolicy)
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
    context.failures.note(error, for: request.key.source, freshUntil: nil, now: configuration.currentDate())
  }
}
