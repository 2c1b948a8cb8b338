/// A request, as observers are told of it.
public struct ObservedRequest: Sendable, Identifiable {
  /// Tells it from all other requests of the process.
  public let id: Int
  /// What is asked for, as the app has asked.
  public let request: ImageRequest
  /// When it began, by the clock of the pipeline.
  public let start: ContinuousClock.Instant
}

/// How a request ended.
public enum RequestOutcome: Sendable {
  /// With a picture.
  case picture(ImageResponse)
  /// With so many bytes, for who asked for bytes alone.
  case data(byteCount: Int)
  /// With an error.
  case failure(ImageError)
  /// It was called off.
  case cancelled

  init(_ error: ImageError) { self = error.isCancellation ? .cancelled : .failure(error) }
}

/// A stage of the work behind requests, as observers are told of it.
public struct ObservedStage: Sendable, Identifiable {
  /// Tells it from all other stages of the process.
  public let id: Int
  /// Which it is. Never `total`: that is the request itself.
  public let stage: ImageStage
  /// The name of the source that is worked for, without credentials.
  public let source: String
  /// When it began, by the clock of the pipeline.
  public let start: ContinuousClock.Instant
}
