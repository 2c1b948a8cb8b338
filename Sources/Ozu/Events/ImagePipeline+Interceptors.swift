import Foundation

/// The outside of every load of bytes: observers are told of it, interceptors surround it. That of pictures is the
/// task's own affair (`ImageTask+Surroundings.swift`).
extension ImagePipeline {
  func data(
    for request: ImageRequest, urgency: DataUrgency, onProgress: (@Sendable (LoadProgress) -> Void)?
  ) async throws(ImageError) -> Data {
    let observed = context.events.requestBegan(request)
    do throws(ImageError) {
      let data =
        hasInterceptors
        ? try await interceptedData(for: request, urgency: urgency, onProgress: onProgress)
        : try await ownData(for: request, urgency: urgency, onProgress: onProgress)
      context.events.counters.dataAnswers.increment()
      if let observed { context.events.requestEnded(observed, .data(byteCount: data.count)) }
      return data
    } catch {
      context.events.counters.add(error)
      if let observed { context.events.requestEnded(observed, RequestOutcome(error)) }
      throw error
    }
  }

  private func interceptedData(
    for request: ImageRequest, urgency: DataUrgency, onProgress: (@Sendable (LoadProgress) -> Void)?
  ) async throws(ImageError) -> Data {
    let chain = ImageLoadChain<Data>(configuration.interceptors) { request in
      do throws(ImageError) {
        return .success(try await self.ownData(for: request, urgency: urgency, onProgress: onProgress))
      } catch {
        return .failure(error)
      }
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
