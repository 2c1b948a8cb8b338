/// Tells observers of stages that follow each other in one piece of work. Used on one thread at a time.
///
/// The last stage ends with the reporter, whatever way the work is left by.
final class StageReporter {
  private let events: PipelineEvents
  private let source: ImageSource
  private var current: ObservedStage?

  private init(_ events: PipelineEvents, _ source: ImageSource) {
    self.events = events
    self.source = source
  }

  /// `nil` when nobody is told.
  static func make(_ events: PipelineEvents, source: ImageSource) -> StageReporter? {
    events.isObserved ? StageReporter(events, source) : nil
  }

  deinit { events.stageEnded(current) }

  /// Ends the stage that runs and begins another.
  func enter(_ stage: ImageStage) {
    events.stageEnded(current)
    current = events.stageBegan(stage, of: source.name)
  }
}
