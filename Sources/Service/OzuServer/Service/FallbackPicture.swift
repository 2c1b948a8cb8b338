import Ozu
import OzuBase

/// The picture that a service answers with where the source is missing, cannot be reached, or is no picture. It is made with the
/// options of the address.
///
/// An address that is refused, and a service that is busy, are answered without it.
public struct FallbackPicture: Sendable {
  /// The file.
  public let data: Data
  /// The status of the answer. Default: `nil`, that of the failure, so that nobody takes it for the picture. Some pages show nothing
  /// for another one than 200.
  public var status: Int?
  /// How long clients may keep it, in seconds. Default: 60; 0 for not at all.
  public var lifetime = 60

  let source: ImageSource

  /// Makes a fallback of a file.
  public init(_ data: Data) {
    self.data = data
    source = .data(data)
  }

  func answers(_ failure: ServiceFailure) -> Bool {
    ![400, 403, 503, ServiceFailure.hasLeft].contains(failure.status)
  }
}
