import Ozu
import OzuHTTP

extension ImageService {
  /// Answers without waiting and without a Swift task: a picture that is in memory, a request for which there is no
  /// place, an address that is refused, and the service's own pages except the metrics. An address is read once, also if work is
  /// left.
  ///
  /// Two changes of threads cost more than the rest of such an answer, and take long if all threads are busy.
  public func begin(_ request: ServiceRequest) -> ServiceBeginning {
    let start = configuration.pipeline.testing.now()
    configuration.playground?.expireUploads(at: start)
    var request = request
    request.trace = configuration.trace(of: request)
    let addressed = request.withoutPrefix(configuration.pathPrefix)
    switch step(for: addressed) {
    case .answer(let answer):
      metrics.begin()
      return .response(finish(answer, of: request, since: start))
    case .picture(let pictureRequest):
      return work(for: request) { [self] in await picture(pictureRequest, for: addressed) }
    case .information(let information):
      return work(for: request) { [self] in await answer(with: information, to: addressed) }
    case .page:
      return work(for: request) { [self] in await page(for: addressed) }
    }
  }

  private func work(
    for request: ServiceRequest, _ work: @escaping @Sendable () async -> ServiceAnswer
  ) -> ServiceBeginning {
    .work { [self] in
      let start = configuration.pipeline.testing.now()
      metrics.begin()
      return finish(await work(), of: request, since: start)
    }
  }

  private enum Step {
    case answer(ServiceAnswer)
    case picture(PictureRequest)
    case information(AddressedInformation)
    /// A page of the service itself, or a method that is refused.
    case page
  }

  private func step(for request: ServiceRequest) -> Step {
    guard request.isReading else { return .page }
    switch request.target {
    case "/health", "/ready": return ownAnswer(to: request).map(Step.answer) ?? .page
    case "/", "/metrics": return .page
    case let target where target.hasPrefix("/playground/"): return .page
    default:
      do throws(AddressRefusal) {
        let date = configuration.pipeline.testing.currentDate()
        if let information = try addressing.information(for: request, at: date) {
          return .information(information)
        }
        let pictureRequest = try pictureRequest(of: request)
        return immediateAnswer(to: pictureRequest, for: request).map(Step.answer) ?? .picture(pictureRequest)
      } catch {
        return .answer(ServiceAnswer(error))
      }
    }
  }
}

extension ServiceRequest {
  /// The request with the address that is read. The pages of the service have no prefix.
  fileprivate func withoutPrefix(_ prefix: String) -> ServiceRequest {
    guard !prefix.isEmpty else { return self }
    let isOwn = ["/", "/health", "/ready", "/metrics"].contains(target) || target.hasPrefix("/playground/")
    if isOwn { return self }
    var request = self
    let isBelow = target.hasPrefix(prefix) && target.dropFirst(prefix.count).first == "/"
    request.target = isBelow ? String(target.dropFirst(prefix.count)) : ""
    // A proxy that keeps strangers from `/metrics` passes on everything below the prefix.
    if request.target == "/metrics" { request.target = "" }
    return request
  }
}
