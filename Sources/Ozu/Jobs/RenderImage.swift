import Foundation

/// The step from encoded bytes to a finished picture: on the decode queue, one picture a thread.
struct RenderImage: Sendable {
  let parts: PipelineParts
  /// The name of the source, for errors.
  let name: String

  struct Rendered: Sendable {
    let picture: Picture
    let timings: StageTimings
  }

  /// Decodes, resamples and turns upright.
  ///
  /// - Throws: what `ImageError.init(_:source:)` makes of a `DecodingError`.
  func render(
    _ data: Data, resize: Resize?, priority: LivePriority
  ) async throws(ImageError) -> Rendered {
    let configuration = parts.configuration
    let submitted = configuration.now()
    let outcome = await parts.decodeQueue.run(priority: priority) {
      flag -> Result<Rendered, DecodingError> in
      let watch = StageWatch(now: configuration.now, waitingSince: submitted)
      return Result { () throws(DecodingError) in
        let context = DecodingContext(
          limits: configuration.limits, pool: configuration.pixelBufferPool,
          isCancelled: { flag.isRaised }, onStage: watch.enter)
        let picture = try configuration.codecs.picture(from: data, resize: resize, context: context)
        return Rendered(picture: picture, timings: watch.finish())
      }
    }
    switch outcome {
    case .success(let rendered): return rendered
    case .failure(let error): throw ImageError(error, source: name)
    }
  }
}

/// Notes when a render goes from one stage to the next. Used on one thread.
private final class StageWatch {
  private let now: @Sendable () -> ContinuousClock.Instant
  private var timings = StageTimings()
  private var current: (stage: ImageStage, start: ContinuousClock.Instant)

  init(now: @escaping @Sendable () -> ContinuousClock.Instant, waitingSince start: ContinuousClock.Instant) {
    self.now = now
    current = (.wait, start)
    advance(to: .decode)
  }

  func enter(_ stage: DecodingStage) {
    advance(to: stage == .decode ? .decode : .resize)
  }

  func finish() -> StageTimings {
    advance(to: current.stage)
    return timings
  }

  private func advance(to stage: ImageStage) {
    let time = now()
    timings.add(current.stage, current.start.duration(to: time))
    current = (stage, time)
  }
}
