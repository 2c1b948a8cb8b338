import Ozu
import OzuBase
import OzuHTTP
import OzuImaging

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
    if request.target == "/", request.isReading { return ServiceAnswer(.service, PlaygroundPage.response) }
    guard request.target.hasPrefix("/playground/") else { return nil }
    guard token.isSent(by: request) else { return ServiceAnswer(Self.noToken) }
    if request.target == Self.uploadPath {
      guard request.method == "POST" else {
        return ServiceAnswer(
          ServiceFailure(status: 405, reason: "files are sent here by POST", allowed: "POST"))
      }
      return upload(request.body, at: now)
    }
    guard request.isReading else { return ServiceAnswer(ServiceFailure.notReading) }
    let query = PlaygroundQuery(request.target)
    do throws(AddressRefusal) {
      switch query.path {
      case "/playground/settings": return ServiceAnswer(.service, .json(settings))
      case "/playground/address":
        let path = try addresses.path(query, now: service.configuration.pipeline.testing.currentDate())
        return ServiceAnswer(.service, .json(["path": service.configuration.pathPrefix + path]))
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
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let body = try? encoder.encode(value.mapValues(JSONMember.init))
    return ServiceResponse(
      status: 200,
      headers: [
        "Content-Type": "application/json", "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store",
      ], body: body ?? Data())
  }
}

/// `null` among the members of a JSON answer.
struct JSONNull {}

/// A value of a JSON answer: a text, a number, a Boolean, a list, an object or `null`.
private struct JSONMember: Encodable {
  let value: Any

  func encode(to encoder: any Encoder) throws {
    switch value {
    case let members as [String: Any]: try members.mapValues(JSONMember.init).encode(to: encoder)
    case let list as [Any]: try list.map(JSONMember.init).encode(to: encoder)
    case let value as any Encodable: try value.encode(to: encoder)
    default:
      var container = encoder.singleValueContainer()
      try container.encodeNil()
    }
  }
}

/// The page of a playground, made once of `playground.html`, `playground.css` and `playground.js`. It loads nothing from other
/// places.
///
/// Its style and its script are allowed only by their hashes, so a script injected into the page could not run.
enum PlaygroundPage {
  static let response = ServiceResponse(
    status: 200,
    headers: [
      "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store",
      "Content-Security-Policy": contentSecurityPolicy, "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin",
      "Cross-Origin-Resource-Policy": "same-origin",
    ], body: Data(text.utf8))

  private static let style = String(decoding: PackageResources.playground_css, as: UTF8.self)
  private static let script = String(decoding: PackageResources.playground_js, as: UTF8.self)

  private static let formats = ImageOptions.formats.filter { $0.audience == .browsers }
    .map { "<option value=\"\($0.type.fileExtension)\">\($0.name)</option>" }.joined()

  static let text = String(decoding: PackageResources.playground_html, as: UTF8.self)
    .replacing("{{style}}", with: style).replacing("{{script}}", with: script).replacing(
      "{{formats}}", with: formats)

  static let contentSecurityPolicy = [
    "default-src 'none'", "connect-src 'self'", "img-src blob: data:", "style-src '\(hash(style))'",
    "script-src '\(hash(script))'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
  ].joined(separator: "; ")

  private static func hash(_ text: String) -> String {
    "sha256-\(Data(SHA256.digest(of: Array(text.utf8))).base64EncodedString())"
  }
}

/// The secret of the users of a playground.
///
/// It is written after the `#` of the page's address, which browsers do not send, and the page sends it in the
/// field `Authorization`. So it is in no log, no cache and no `Referer`, and the page of another site cannot make a
/// browser send it.
struct PlaygroundToken: Sendable {
  static let shortest = 16

  private let digest: [UInt8]

  /// - Throws: `ServiceConfigurationError.weakPlaygroundToken` for a token that is too short, or that would need escapes in an address.
  init(_ text: String) throws(ServiceConfigurationError) {
    guard (Self.shortest...256).contains(text.utf8.count),
      PercentEncoding.encoded(text, keeping: "-._~") == text
    else { throw .weakPlaygroundToken }
    digest = SHA256.digest(of: Array(text.utf8))
  }

  /// Whether a request has the token. Digests are compared, so that the time reveals nothing about the token.
  func isSent(by request: ServiceRequest) -> Bool {
    let fields = request.headers.values(for: "Authorization")
    guard fields.count == 1, let field = fields.first, field.utf8.count <= 512,
      field.prefix(7).lowercased() == "bearer "
    else { return false }
    return SHA256.areEqual(SHA256.digest(of: Array(field.dropFirst(7).utf8)), digest)
  }

  static func random(byteCount: Int) -> String {
    var generator = SystemRandomNumberGenerator()
    return Base64URL.text(of: (0..<byteCount).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
  }
}

/// Keeps uploaded files in memory for a limited time, under keys that cannot be guessed; never on a disk.
///
/// It has a limit in bytes: the least recently used file is removed for a new one. One lock guards the list, which
/// has few entries. The bytes of removed files are released outside the lock.
final class UploadStore: Sendable {
  private struct Entry {
    let key: String
    let data: Data
    var lastUse: ContinuousClock.Instant
  }

  static let maximumCount = 64

  private let byteBudget: Int
  private let lifetime: Duration
  /// The most recently used file is last.
  private let entries = Mutex<[Entry]>([])

  /// - Parameters:
  ///   - byteBudget: the most bytes of all files together.
  ///   - lifetime: the time that a file is kept after its last use.
  init(byteBudget: Int, lifetime: Duration) {
    self.byteBudget = byteBudget
    self.lifetime = lifetime
  }

  var byteCount: Int { entries.withLock { $0.reduce(0) { $0 + $1.data.count } } }

  /// Stores a file. Returns its key; `nil` if the file is larger than the budget.
  func add(_ data: Data, at now: ContinuousClock.Instant) -> String? {
    guard data.count <= byteBudget else { return nil }
    let key = PlaygroundToken.random(byteCount: 16)
    let removed = entries.withLock { entries -> [Entry] in
      var total = entries.reduce(data.count) { $0 + $1.data.count }
      var count = 0
      while total > byteBudget || entries.count - count >= Self.maximumCount {
        total -= entries[count].data.count
        count += 1
      }
      let removed = Array(entries.prefix(count))
      entries.removeFirst(count)
      entries.append(Entry(key: key, data: data, lastUse: now))
      return removed
    }
    _ = consume removed
    return key
  }

  func data(for key: String, at now: ContinuousClock.Instant) -> Data? {
    expire(at: now)
    return entries.withLock { entries in
      guard let index = entries.firstIndex(where: { $0.key == key }) else { return nil }
      var entry = entries.remove(at: index)
      entry.lastUse = now
      entries.append(entry)
      return entry.data
    }
  }

  func expire(at now: ContinuousClock.Instant) {
    let removed = entries.withLock { entries -> [Entry] in
      let count = entries.firstIndex { $0.lastUse + lifetime > now } ?? entries.count
      guard count > 0 else { return [] }
      let removed = Array(entries.prefix(count))
      entries.removeFirst(count)
      return removed
    }
    _ = consume removed
  }
}
