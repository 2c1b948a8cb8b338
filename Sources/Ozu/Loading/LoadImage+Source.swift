import Foundation
import OzuHTTP

/// The stages that make the picture from its source.
extension LoadImage {
  /// Fetches the original, and makes the picture from it.
  func fetchSource() -> JobStep? {
    let key = fetchKey
    let live = fetched ?? fetchInUse(key)
    isFetchReused = live != nil
    if let live { return make(of: .success(live)) }
    let isSureToDownload = isSureToDownload
    if isSureToDownload, let url = request.source.webURL { origin = JobOrigin(url) }
    // A closure that captures a single object needs no allocation.
    let begin: @Sendable () -> JobStart =
      if isSureToDownload {
        { [self] in JobStart(FetchWork(request, context, epoch), in: .network, origin: origin) }
      } else {
        { [self] in JobStart(FetchWork(request, context, epoch)) }
      }
    let other = JobDependence(key: key, deadline: context.deadline(.network), make: begin)
    return wait(for: other) { load, wake in
      guard let outcome = load.outcome(ofFetch: wake) else { return load.failInCycle() }
      guard case .success(let fetched) = outcome, load.configuration.isCoalescingEnabled,
        load.request.cachePolicy == .useCaches
      else { return load.make(of: outcome) }
      let live = load.context.fetchesInUse.note(fetched, for: load.fetchKey)
      return load.make(of: .success(live))
    }
  }

  /// The key of the download of the source.
  private var fetchKey: JobKey { .fetch(request, number: context.sharingNumber(epoch, request)) }

  private func make(of outcome: Result<FetchedData, ImageError>) -> JobStep? {
    switch outcome {
    case .success(let fetched): renew(fetched) ?? renderSource(fetched)
    case .failure(let error): serveStale(after: error)
    }
  }

  /// Fetches the original again, without reading the caches.
  private func fetchAgain(
    then: @escaping (LoadImage, Result<FetchedData, ImageError>) -> JobStep?
  ) -> JobStep? {
    var request = request
    request.cachePolicy = .reload
    isFetchReused = false
    let key = JobKey.fetch(request, number: context.sharingNumber(epoch, request))
    let other = JobDependence(key: key, deadline: context.deadline(.network)) { [context, request, epoch] in
      JobStart(FetchWork(request, context, epoch))
    }
    return wait(for: other) { load, wake in
      guard let outcome = load.outcome(ofFetch: wake) else { return load.failInCycle() }
      return then(load, outcome)
    }
  }

  /// The result of a download; `nil` if the download waits for this load.
  private func outcome(ofFetch wake: Wake) -> Result<FetchedData, ImageError>? {
    if wake.overdue != nil { return .failure(.deadlineExceeded(request.source.name, stage: .network)) }
    guard let fetch = wake.input as? FetchWork else { return nil }
    endPreviews(of: fetch)
    return fetch.outcome
  }

  private func failInCycle() -> JobStep { fail(.waitsForItself(request.source.name)) }

  /// Whether hints say that only the origin can answer. The load then queues its download at once, and looks at
  /// source and caches when the download has a place: most of thousands of loads that are cancelled during a fast
  /// scroll never get one.
  private var isSureToDownload: Bool {
    guard isFromWeb, request.cachePolicy != .cacheOnly, context.failures.isEmpty else { return false }
    return !context.caches.mayHave(.original(request))
      && context.backlog.writing(originalOf: request.key.source) == nil
  }

  /// The bytes that another load still holds, if they may be used without asking the origin again.
  private func fetchInUse(_ key: JobKey) -> FetchedData? {
    guard request.cachePolicy == .useCaches, configuration.isCoalescingEnabled,
      let live = context.fetchesInUse.data(for: key), live.allowsStoring,
      request.mayServe(live.validity, at: configuration.testing.currentDate())
    else { return nil }
    guard let path = request.source.filePath else { return live }
    return FileStamp(path: path) == live.stamp ? live : nil
  }

  /// The origin, timings and verdict of the bytes for this load. Bytes that another load fetched earlier count as a
  /// cached original and not as a second download: the answer is the same whether they are already stored or not.
  func origin(
    of fetched: FetchedData
  ) -> (source: ImageResponse.Source, timings: StageTimings, verdict: ImageResponse.Verdict) {
    guard isFetchReused, fetched.source != .stale else {
      return (fetched.source, fetched.timings, ImageResponse.Verdict(fetched.http?.decision))
    }
    let verdict = ImageResponse.Verdict(fetched.validity, now: configuration.testing.currentDate())
    return (.original, StageTimings(), verdict)
  }

  /// Whether the picture is returned undecoded, because no step needs its pixels.
  private var isDeferred: Bool {
    !configuration.decoding.isDecompressionEnabled && request.decodingResize == nil
      && request.decodedSteps.isEmpty && request.decoding == .converted
  }

  /// Makes the picture from the fetched bytes. A stored original that does not decode is removed and fetched again.
  func renderSource(_ fetched: FetchedData) -> JobStep {
    render(fetched) { load, error in
      load.context.fetchesInUse.forget(load.fetchKey)
      guard fetched.isFromStore, error.isOfFile, load.request.cachePolicy == .useCaches else {
        load.noteFailure(error)
        return load.fail(error)
      }
      let (context, request) = (load.context, load.request)
      let right = context.epochs.right(toOriginalOf: request.key.source, in: load.epoch)
      context.backlog.enqueue(originalOf: request.key.source) {
        guard right.isValid else { return }
        context.caches.removeOriginal(for: request)
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
        : .decode(data, request.decodingResize, request.decoding, fetched.file)
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
          renditionMiss: load.cachedResult.miss)
        return load.finish(loaded, after: load.store(rendered.picture, of: fetched))
      }
    }
  }

  private func noteFailure(_ error: ImageError) {
    guard request.source.webURL != nil, request.cachePolicy.writesCaches else { return }
    context.noteFailure(error, of: request, epoch)
  }
}

extension ImageError {
  /// Whether the file may be damaged, so that another copy of it may decode. False if the request is the cause: a region outside
  /// the picture, a limit, a step that fails.
  fileprivate var isOfFile: Bool {
    [.emptyData, .notAnImage, .unsupportedType, .corruptData, .truncatedData, .decoderFailed].contains(kind)
  }
}
