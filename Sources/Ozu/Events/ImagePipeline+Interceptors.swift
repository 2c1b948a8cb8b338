import Foundation

/// The outside of every load: observers are told of it, interceptors surround it.
extension ImagePipeline {
  func response(
    for request: ImageRequest, priority: LivePriority, onProgress: (@Sendable (LoadProgress) -> Void)?
  ) async throws(ImageError) -> ImageResponse {
    let observed = parts.events.requestBegan(request)
    do throws(ImageError) {
      let response =
        parts.configuration.interceptors.isEmpty
        ? try await ownResponse(for: request, priority: priority, onProgress: onProgress)
        : try await interceptedResponse(for: request, priority: priority, onProgress: onProgress)
      parts.events.requestEnded(observed, response)
      return response
    } catch {
      parts.events.requestFailed(observed, error)
      throw error
    }
  }

  private func interceptedResponse(
    for request: ImageRequest, priority: LivePriority, onProgress: (@Sendable (LoadProgress) -> Void)?
  ) async throws(ImageError) -> ImageResponse {
    let asked = request.priority
    let chain = ImageLoadChain(parts.configuration.interceptors) { request in
      // Who changes the priority of the request means the load's, whatever has become of it meanwhile.
      let priority = request.priority == asked ? priority : .fixed(request.priority)
      do throws(ImageError) {
        return .success(try await self.ownResponse(for: request, priority: priority, onProgress: onProgress))
      } catch {
        return .failure(error)
      }
    }
    return try await chain.load(request)
  }

  func interceptedData(for request: ImageRequest) async throws(ImageError) -> Data {
    let observed = parts.events.requestBegan(request)
    do throws(ImageError) {
      let data =
        parts.configuration.interceptors.isEmpty
        ? try await ownData(for: request) : try await dataChain.load(request)
      parts.events.requestEnded(observed, data)
      return data
    } catch {
      parts.events.requestFailed(observed, error)
      throw error
    }
  }

  private var dataChain: ImageLoadChain<Data> {
    ImageLoadChain(parts.configuration.interceptors) { request in
      do throws(ImageError) {
        return .success(try await self.ownData(for: request))
      } catch {
        return .failure(error)
      }
    }
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
