import Foundation

/// The outside of every load of bytes: observers are told of it, interceptors surround it. That of pictures is the
/// task's own affair (`ImageTask+Surroundings.swift`).
extension ImagePipeline {
  func data(
    for request: ImageRequest, urgency: DataUrgency, onProgress: (@Sendable (LoadProgress) -> Void)?
  ) async throws(ImageError) -> Data {
    try await observing(request, byteCount: \.count) { () async throws(ImageError) in
      let data =
        hasInterceptors
        ? try await interceptedData(for: request, urgency: urgency, onProgress: onProgress)
        : try await ownData(for: request, urgency: urgency, onProgress: onProgress)
      context.events.counters.dataAnswers.increment()
      return data
    }
  }

  /// Tells observers of a request that is answered with bytes, and counts its failure.
  func observing<Output>(
    _ request: ImageRequest, byteCount: (Output) -> Int, _ load: () async throws(ImageError) -> Output
  ) async throws(ImageError) -> Output {
    let observed = context.events.requestBegan(request)
    do throws(ImageError) {
      let output = try await load()
      if let observed { context.events.requestEnded(observed, .data(byteCount: byteCount(output))) }
      return output
    } catch {
      context.events.counters.add(error)
      if let observed { context.events.requestEnded(observed, RequestOutcome(error)) }
      throw error
    }
  }

  private func interceptedData(
    for request: ImageRequest, urgency: DataUrgency, onProgress: (@Sendable (LoadProgress) -> Void)?
  ) async throws(ImageError) -> Data {
    let chain = ImageLoadChain<Data>(configuration.interceptors) {
      (interceptor, request, rest) async throws(ImageError) in
      try await interceptor.interceptData(request, next: rest)
    } load: { (request) async throws(ImageError) in
      try await self.ownData(for: request, urgency: urgency, onProgress: onProgress)
    }
    return try await chain.load(request)
  }
}

extension ImageResponse {
  /// Makes an answer, for interceptors that have one without loading.
  ///
  /// - Parameter source: the place to name; `original` by default.
  public init(_ picture: Picture, for request: ImageRequest, source: Source = .original) {
    self.init(
      picture: picture, request: request, source: source, isCoalesced: false, encodedByteCount: 0,
      timings: StageTimings(), verdict: .none)
  }
}
