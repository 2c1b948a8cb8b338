/// A request, as reported to observers.
public struct ObservedRequest: Sendable, Identifiable {
  /// The identifier of the request, unique in the process.
  public let id: Int
  /// The request of the app, unchanged.
  public let request: ImageRequest
  /// When it began, by the clock of the pipeline.
  public let start: ContinuousClock.Instant
}

/// How a request ended.
public enum RequestOutcome: Sendable {
  /// With a picture.
  case picture(ImageResponse)
  /// With bytes, for a request for bytes.
  case data(byteCount: Int)
  /// With an error.
  case failure(ImageError)
  /// It was cancelled.
  case cancelled

  init(_ error: ImageError) { self = error.isCancellation ? .cancelled : .failure(error) }
}

/// A stage of the work behind requests, as reported to observers.
public struct ObservedStage: Sendable, Identifiable {
  /// The identifier of the stage, unique in the process.
  public let id: Int
  /// The kind of stage. Never `total`, which is the request itself.
  public let stage: ImageStage
  /// The name of the source, without credentials.
  public let source: String
  /// When it began, by the clock of the pipeline.
  public let start: ContinuousClock.Instant
}
