import Foundation

/// The observers and interceptors around loads of bytes. Those around loads of pictures are in the task
/// (`ImageTask+Interceptors.swift`).
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

  /// Reports a request for bytes to observers, and counts its failure.
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
  /// Makes a response without loading; for interceptors.
  ///
  /// - Parameter source: the source to state; `original` by default.
  public init(_ picture: Picture, for request: ImageRequest, source: Source = .original) {
    self.init(
      picture: picture, request: request, source: source, isCoalesced: false, encodedByteCount: 0,
      timings: StageTimings(), verdict: .none)
  }
}
