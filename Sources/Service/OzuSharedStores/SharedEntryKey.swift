import OzuBase

/// A secret of a fleet. With it, entries of a shared store have an authentication code (HMAC-SHA-256): what others write into the
/// store is no entry. All machines of the fleet need the same one.
///
/// ```swift
/// var redis = RedisConfiguration(nodes: [.tcp("10.0.0.7")])
/// redis.authenticationKey = SharedEntryKey(hex: secret)
/// ```
///
/// A program that can write to the store can still remove entries, and put back an older entry of the same picture.
public struct SharedEntryKey: Hashable, Sendable, CustomStringConvertible {
  static let codeByteCount = 32

  private let bytes: [UInt8]

  /// Makes a key of bytes that nobody can guess; `nil` for fewer than 16.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count >= 16 else { return nil }
    self.bytes = bytes
  }

  /// Makes a key of hexadecimal digits, as `openssl rand -hex 32` prints them; `nil` for other characters, and for fewer than 32
  /// digits.
  public init?(hex: String) {
    guard let bytes = [UInt8](hexadecimal: hex) else { return nil }
    self.init(bytes)
  }

  /// Eight characters that tell keys apart and say nothing about them. As a part of the prefix of a store's keys they keep the
  /// entries of two keys apart, so that a fleet whose key is replaced takes none of the old entries for damaged ones.
  public var fingerprint: String {
    let code = SHA256.authenticationCode(of: "ozu fingerprint".utf8, key: bytes)
    return code.prefix(4).hexadecimal
  }

  /// The fingerprint, without the secret.
  public var description: String { "key \(fingerprint)" }

  func code(of message: some Sequence<UInt8>) -> [UInt8] {
    SHA256.authenticationCode(of: message, key: bytes)
  }

  /// Whether this is the code of a message. Takes the same time for every wrong code.
  func authenticates(_ message: some Sequence<UInt8>, _ code: some Collection<UInt8>) -> Bool {
    let right = self.code(of: message)
    guard code.count == right.count else { return false }
    return zip(code, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
