/// Tells observers of stages that follow each other in one piece of work. Used on one thread at a time.
///
/// The last stage ends with the reporter, whatever way the work is left by.
final class StageReporter {
  private let events: PipelineEvents
  private let source: ImageSource
  private var current: ObservedStage?

  /// `nil` when nobody is told.
  init?(_ events: PipelineEvents, source: ImageSource) {
    guard events.isObserved else { return nil }
    self.events = events
    self.source = source
  }

  deinit { events.stageEnded(current) }

  /// Ends the stage that runs and begins another.
  func enter(_ stage: ImageStage) {
    events.stageEnded(current)
    current = events.stageBegan(stage, of: source.name)
  }
}
