import OzuBase

/// A secret that signs addresses: HMAC-SHA-256 over a salt and the path, as in imgproxy.
public struct AddressKey: Hashable, Sendable {
  private let key: [UInt8]
  private let salt: [UInt8]
  private let signatureByteCount: Int

  /// Makes a key from hexadecimal digits, as `openssl rand -hex 32` writes them.
  ///
  ///   - key: at least 16 bytes.
  ///   - salt: at least 1 byte.
  ///   - signatureByteCount: the number of bytes of the authentication code in an address, 16 to 32. Default: 32.
  ///     Fewer bytes make addresses shorter.
  /// - Throws: `AddressRulesError`.
  public init(hexKey key: String, salt: String, signatureByteCount: Int = 32) throws(AddressRulesError) {
    guard let key = [UInt8](hexadecimal: key), key.count >= 16 else {
      throw AddressRulesError("a key is at least 32 hexadecimal digits")
    }
    guard let salt = [UInt8](hexadecimal: salt), !salt.isEmpty else {
      throw AddressRulesError("a salt is an even number of hexadecimal digits")
    }
    guard (16...32).contains(signatureByteCount) else {
      throw AddressRulesError("a signature has 16 to 32 bytes, not \(signatureByteCount)")
    }
    self.key = key
    self.salt = salt
    self.signatureByteCount = signatureByteCount
  }

  /// The signature of the part of an address that follows it, beginning with its slash: base64url without padding.
  public func signature(of path: String) -> String { Base64URL.text(of: code(of: path)) }

  /// Whether this is the signature of a path. Takes the same time for every wrong signature.
  func signs(_ path: String, _ signature: some StringProtocol) -> Bool {
    guard let given = Base64URL.bytes(of: signature) else { return false }
    return SHA256.areEqual(given, code(of: path))
  }

  private func code(of path: String) -> [UInt8] {
    Array(SHA256.authenticationCode(of: salt + path.utf8, key: key).prefix(signatureByteCount))
  }
}

/// base64url (RFC 4648 §5). Written without padding; read with or without.
enum Base64URL {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
  private static let values: [UInt8?] = {
    var values = [UInt8?](repeating: nil, count: 256)
    for (value, byte) in alphabet.enumerated() { values[Int(byte)] = UInt8(value) }
    return values
  }()

  static func text(of bytes: [UInt8]) -> String {
    let text = String(Data(bytes).base64EncodedString().prefix { $0 != "=" })
    return text.replacing("+", with: "-").replacing("/", with: "_")
  }

  /// The bytes of a text. `nil` for other characters, for an impossible length, and if unused bits are not zero, so
  /// that each value has only one text.
  static func bytes(of text: some StringProtocol) -> [UInt8]? {
    var digits = Array(text.utf8)
    while digits.last == UInt8(ascii: "="), digits.count % 4 == 0 || digits.count % 4 == 3 {
      digits.removeLast()
    }
    guard digits.count % 4 != 1 else { return nil }
    var bytes: [UInt8] = []
    var (word, bitCount) = (0, 0)
    for digit in digits {
      guard let value = values[Int(digit)] else { return nil }
      (word, bitCount) = (word << 6 | Int(value), bitCount + 6)
      guard bitCount >= 8 else { continue }
      bitCount -= 8
      bytes.append(UInt8(truncatingIfNeeded: word >> bitCount))
      word &= (1 << bitCount) - 1
    }
    return word == 0 ? bytes : nil
  }
}
