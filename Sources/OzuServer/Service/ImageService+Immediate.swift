import Ozu
import OzuHTTP

extension ImageService {
  /// Answers from memory alone, without a Swift task: a picture that memory has, a request that there is no place for, and the
  /// service's own pages but the metrics.
  ///
  /// Two changes of threads cost more than all the rest of such an answer, and where all threads are at work they take long.
  public func immediateResponse(to request: ServiceRequest) -> ServiceResponse? {
    guard request.method == "GET" || request.method == "HEAD" else { return nil }
    let start = configuration.pipeline.testing.now()
    guard let answer = immediateAnswer(to: request) else { return nil }
    metrics.begin()
    note(answer, of: request, since: start)
    return answer.response
  }

  private func immediateAnswer(to request: ServiceRequest) -> ServiceAnswer? {
    switch request.target {
    case "/health", "/ready": return ownAnswer(to: request)
    case "/", "/metrics": return nil
    case let target where target.hasPrefix("/playground/"): return nil
    default: return immediatePicture(for: request)
    }
  }
}
