import Foundation
import Ozu
import OzuHTTP

/// A page at `/` for trying the options of addresses: it shows a picture from the web or from the user's machine,
/// the result with its size and time, and the signed address to copy.
///
/// A user with its token can sign addresses of every source that the rules allow, so give the token only to people
/// who may do that. Everything except the page itself, which contains no secret, requires the token
/// (`Authorization: Bearer …`).
///
/// ```swift
/// let playground = try Playground(addresses, token: Playground.makeToken())
/// configuration.playground = playground
/// let service = try ImageService(addressing: addresses, configuration: configuration)
/// listenerConfiguration.uploads = service.uploads
/// ```
///
/// Uploaded files stay in memory for ten minutes after their last use, at most 64 MB together, under keys that
/// cannot be guessed. Neither they nor their results are stored in a cache.
public final class Playground: Sendable {
  /// The most bytes of an uploaded file: 16 MB.
  public static let maximumUploadByteCount = 16 << 20
  static let uploadPath = "/playground/uploads"

  /// Accepts uploads with the token. Listeners take `ImageService.uploads`.
  let uploads: UploadRule
  let addresses: SignedAddresses
  private let token: PlaygroundToken
  let uploadStore: UploadStore

  /// Makes a playground.
  ///
  /// - Parameters:
  ///   - addresses: the grammar of the service, with the keys that sign.
  ///   - token: at least 16 letters, digits, `-`, `.`, `_` and `~`.
  /// - Throws: `ServiceConfigurationError.weakPlaygroundToken`.
  public init(_ addresses: SignedAddresses, token: String) throws(ServiceConfigurationError) {
    let token = try PlaygroundToken(token)
    self.addresses = addresses
    self.token = token
    uploadStore = UploadStore(byteBudget: 64 << 20, lifetime: .seconds(600))
    uploads = UploadRule(
      path: Self.uploadPath, maximumByteCount: Self.maximumUploadByteCount, maximumTotalByteCount: 32 << 20
    ) { request in
      token.isSent(by: request) ? nil : Self.noToken.response
    }
  }

  /// A token of 24 random bytes.
  public static func makeToken() -> String { PlaygroundToken.random(byteCount: 24) }

  private static let noToken = ServiceFailure(
    status: 401, reason: "the playground's token is needed", challenge: "Bearer")

  /// The answer to a request to the playground; `nil` for other requests.
  func answer(to request: ServiceRequest, of service: ImageService) async -> ServiceAnswer? {
    let now = service.configuration.pipeline.testing.now()
    let isReading = request.method == "GET" || request.method == "HEAD"
    if request.target == "/", isReading { return ServiceAnswer(.service, PlaygroundPage.response) }
    guard request.target.hasPrefix("/playground/") else { return nil }
    guard token.isSent(by: request) else { return ServiceAnswer(Self.noToken) }
    if request.target == Self.uploadPath {
      guard request.method == "POST" else {
        return ServiceAnswer(
          ServiceFailure(status: 405, reason: "files are sent here by POST", allowed: "POST"))
      }
      return upload(request.body, at: now)
    }
    guard isReading else {
      return ServiceAnswer(
        ServiceFailure(status: 405, reason: "only GET and HEAD are answered", allowed: "GET, HEAD"))
    }
    let query = PlaygroundQuery(request.target)
    do throws(AddressRefusal) {
      switch query.path {
      case "/playground/settings": return ServiceAnswer(.service, .json(settings))
      case "/playground/address":
        let path = try addresses.path(query, now: service.configuration.pipeline.testing.currentDate())
        return ServiceAnswer(.service, .json(["path": path]))
      case "/playground/picture": return try await picture(query, of: service, request)
      default: throw AddressRefusal(status: 404, reason: "there is nothing here")
      }
    } catch {
      return ServiceAnswer(ServiceFailure(status: error.status, reason: error.reason))
    }
  }

  /// Forgets the files that were not used for ten minutes.
  func expireUploads(at now: ContinuousClock.Instant) { uploadStore.expire(at: now) }

  private func upload(_ data: Data, at now: ContinuousClock.Instant) -> ServiceAnswer {
    // A web framework, used instead of the listener, may have accepted more.
    guard data.count <= Self.maximumUploadByteCount else {
      return ServiceAnswer(ServiceFailure(status: 413, reason: "the file is too large"))
    }
    guard !data.isEmpty, let key = uploadStore.add(data, at: now) else {
      return ServiceAnswer(ServiceFailure(status: 400, reason: "the file is empty"))
    }
    return ServiceAnswer(.service, .json(["key": key, "bytes": data.count]))
  }

  /// The settings that the page needs.
  private var settings: [String: Any] {
    let rules = addresses.rules
    return [
      "presets": rules.presets.mapValues { $0.map(\.text).joined(separator: "/") },
      "onlyPresets": rules.onlyPresets, "sources": rules.sources, "largestSide": rules.largestSide,
      "largestDensity": rules.largestDensity, "quality": rules.quality, "isSigned": !rules.keys.isEmpty,
      "largestUpload": Self.maximumUploadByteCount,
    ]
  }
}

extension ServiceResponse {
  /// A JSON answer for the page.
  static func json(_ value: [String: Any]) -> ServiceResponse {
    let body = try? JSONSerialization.data(
      withJSONObject: value, options: [.sortedKeys, .withoutEscapingSlashes])
    return ServiceResponse(
      status: 200,
      headers: [
        "Content-Type": "application/json", "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store",
      ], body: body ?? Data())
  }
}
