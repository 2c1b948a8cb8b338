import Ozu
import OzuBase
import OzuImaging

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
  var isRemote: Bool {
    url?.scheme.map { ["http", "https", "s3"].contains($0.lowercased()) } ?? false
  }
}
