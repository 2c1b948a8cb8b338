import Ozu
import OzuHTTP

extension ImageService {
  /// Answers without waiting and without a Swift task: a picture that is in memory, a request for which there is no
  /// place, and the service's own pages except the metrics.
  ///
  /// Two changes of threads cost more than the rest of such an answer, and take long if all threads are busy.
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
