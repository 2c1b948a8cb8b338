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

  /// Whether it answers a failure.
  func answers(_ failure: ServiceFailure) -> Bool { ![400, 403, 503].contains(failure.status) }
}

extension ImageService {
  /// The answer with the fallback; `nil` without one, and if it cannot be made with these options.
  func fallbackAnswer(to pictureRequest: PictureRequest, _ failure: ServiceFailure) async -> ServiceAnswer? {
    guard let fallback = configuration.fallback, fallback.answers(failure) else { return nil }
    let picture = pictureRequest.known.picture
    var request = ImageRequest(
      fallback.source, resize: picture.request.resize, processors: picture.request.processors)
    request.deadline = picture.request.deadline
    guard let image = try? await pipeline.encoded(for: request, as: picture.output) else { return nil }
    var headers = Self.bodyHeaders(of: image.type)
    headers["Cache-Control"] = fallback.lifetime > 0 ? "public, max-age=\(fallback.lifetime)" : "no-store"
    if !pictureRequest.known.vary.isEmpty { headers["Vary"] = pictureRequest.known.vary }
    return ServiceAnswer(
      .failed, ServiceResponse(status: fallback.status ?? failure.status, headers: headers, body: image.data))
  }
}
