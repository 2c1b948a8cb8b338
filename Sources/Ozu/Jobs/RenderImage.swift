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

  /// Decodes, resamples, turns upright, and does the steps that follow.
  ///
  /// - Throws: what `ImageError` makes of a `DecodingError` or a `ProcessingError`.
  func render(
    _ data: Data, resize: Resize?, processors: [any ImageProcessing], priority: LivePriority
  ) async throws(ImageError) -> Rendered {
    let configuration = parts.configuration
    let submitted = configuration.now()
    let waiting = parts.events.stageBegan(.wait, of: name)
    let outcome = await parts.decodeQueue.run(priority: priority) {
      [name, parts] flag -> Result<Rendered, ImageError> in
      parts.events.stageEnded(waiting)
      let watch = StageWatch(
        now: configuration.now, waitingSince: submitted, StageReporter(parts.events, source: name))
      let context = DecodingContext(
        limits: configuration.limits, pool: configuration.pixelBufferPool,
        isCancelled: { flag.isRaised }, onStage: watch.enter)
      do throws(DecodingError) {
        let picture = try configuration.codecs.picture(from: data, resize: resize, context: context)
        if !processors.isEmpty { watch.enterProcessing() }
        return Self.process(picture, processors, configuration, name).map {
          Rendered(picture: $0, timings: watch.finish())
        }
      } catch {
        return .failure(ImageError(error, source: name))
      }
    }
    return try outcome.get()
  }

  /// The same steps for pixels that a fetcher brought.
  func render(
    _ picture: Picture, resize: Resize?, processors: [any ImageProcessing], priority: LivePriority
  ) async throws(ImageError) -> Picture {
    let configuration = parts.configuration
    let outcome = await parts.decodeQueue.run(priority: priority) { [name] _ in
      let resized = resize.map { picture.resized($0, pool: configuration.pixelBufferPool) } ?? picture
      return Self.process(resized, processors, configuration, name)
    }
    return try outcome.get()
  }

  private static func process(
    _ picture: Picture, _ processors: [any ImageProcessing], _ configuration: ImagePipeline.Configuration,
    _ name: String
  ) -> Result<Picture, ImageError> {
    let context = ProcessingContext(pool: configuration.pixelBufferPool, limits: configuration.limits)
    do throws(ProcessingError) {
      return .success(try picture.processed(by: processors, context: context))
    } catch {
      return .failure(.processingFailed(name, underlying: error))
    }
  }
}

/// Notes when a render goes from one stage to the next. Used on one thread.
private final class StageWatch {
  private let now: @Sendable () -> ContinuousClock.Instant
  private var timings = StageTimings()
  private var current: (stage: ImageStage, start: ContinuousClock.Instant)
  private let reporter: StageReporter?

  init(
    now: @escaping @Sendable () -> ContinuousClock.Instant, waitingSince start: ContinuousClock.Instant,
    _ reporter: StageReporter?
  ) {
    self.now = now
    self.reporter = reporter
    current = (.wait, start)
    advance(to: .decode)
  }

  func enter(_ stage: DecodingStage) {
    advance(to: stage == .decode ? .decode : .resize)
  }

  func enterProcessing() { advance(to: .process) }

  func finish() -> StageTimings {
    advance(to: current.stage)
    return timings
  }

  private func advance(to stage: ImageStage) {
    let time = now()
    timings.add(current.stage, current.start.duration(to: time))
    if stage != current.stage { reporter?.enter(stage) }
    current = (stage, time)
  }
}
