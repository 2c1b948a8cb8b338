/// Reports the successive stages of one piece of work to observers. Used on one thread at a time.
///
/// The last stage ends when the reporter is released, on every path out of the work.
final class StageReporter {
  private let events: PipelineEvents
  private let source: ImageSource
  private var current: ObservedStage?

  private init(_ events: PipelineEvents, _ source: ImageSource) {
    self.events = events
    self.source = source
  }

  /// `nil` without observers.
  static func make(_ events: PipelineEvents, source: ImageSource) -> StageReporter? {
    events.isObserved ? StageReporter(events, source) : nil
  }

  deinit { events.stageEnded(current) }

  /// Ends the current stage and begins another one.
  func enter(_ stage: ImageStage) {
    events.stageEnded(current)
    current = events.stageBegan(stage, of: source.name)
  }
}
