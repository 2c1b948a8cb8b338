import Ozu
import OzuBase
import OzuImaging

/// Sources that were fetched and then refused. They are remembered for a while, so that their origins are not asked again at each
/// request: a disk cache keeps no such source, and clients of an error ask again.
extension ImageService {
  /// The failure to answer with, of which the pipeline remembers what lies in the source.
  ///
  /// - Parameter demand: everything beside the source that a refusal depends on.
  func newFailure(_ error: ImageError, of request: ImageRequest, for demand: String) -> ServiceFailure {
    let failure = failure(error)
    // A source that is absent is remembered by the pipeline, as long as its origin says. A file of this machine costs nothing to
    // read again.
    if [400, 403, 422].contains(failure.status), request.source.isRemote {
      pipeline.noteRefusal(error, of: request, for: demand)
    }
    return failure
  }

  /// The failure to answer with.
  func failure(_ error: ImageError) -> ServiceFailure {
    ServiceFailure(
      error, failureLifetime: configuration.failureLifetime, retryAfter: configuration.retryAfter)
  }
}

/// A source that is not what its address demands.
struct SourceFlaw: Error, CustomStringConvertible {
  /// What is wrong, in words for clients.
  let description: String
}

extension ImageError {
  /// The error about a source that is not what its address demands.
  static func flawed(_ source: ImageSource, _ flaw: String) -> ImageError {
    .fetchFailed(source.name, underlying: SourceFlaw(description: flaw))
  }
}

extension KnownPicture {
  /// What is demanded of the source: it may be too large for one recipe, and not for another.
  var demand: String { "\(key.key) \(picture.limits.segments)" }
}

extension InformationFacts {
  /// What is demanded of the source.
  var demand: String { "information \(self)" }
}

extension ImageSource {
  /// Whether it has to be fetched from another machine.
  fileprivate var isRemote: Bool {
    url?.scheme.map { ["http", "https", "s3"].contains($0.lowercased()) } ?? false
  }
}
