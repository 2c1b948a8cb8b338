import OzuHTTP

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
    guard (Self.shortest...256).contains(text.utf8.count), text.utf8.allSatisfy(Self.isPlain) else {
      throw .weakPlaygroundToken
    }
    digest = SHA256.digest(of: Array(text.utf8))
  }

  /// Whether a request has the token. Digests are compared, so that the time reveals nothing about the token.
  func isSent(by request: ServiceRequest) -> Bool {
    let fields = request.headers.values(for: "Authorization")
    guard fields.count == 1, let field = fields.first, field.utf8.count <= 512,
      field.prefix(7).lowercased() == "bearer "
    else { return false }
    let given = SHA256.digest(of: Array(field.dropFirst(7).utf8))
    return zip(given, digest).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }

  /// Random bytes from the system's generator, in base64url.
  static func random(byteCount: Int) -> String {
    var generator = SystemRandomNumberGenerator()
    return Base64URL.text(of: (0..<byteCount).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: "-._~".utf8.contains(byte)
    }
  }
}
