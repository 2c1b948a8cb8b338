import OzuBase

/// The digests of files that addresses of facts may name.
enum FileDigest: String, CaseIterable {
  case md5, sha1, sha256, sha512

  /// The kind of a digest by the number of its digits; `nil` for none of these.
  init?(of digits: String) {
    guard let kind = Self.allCases.first(where: { $0.digitCount == digits.utf8.count }) else { return nil }
    self = kind
  }

  /// The digest of some bytes, in hexadecimal digits in lower case.
  ///
  /// - Complexity: O(bytes).
  func hexadecimal(of bytes: some Sequence<UInt8>) -> String {
    switch self {
    case .md5: MD5.hexadecimal(bytes)
    case .sha1: SHA1.digest(of: bytes).hexadecimal
    case .sha256: SHA256.hexDigest(of: bytes)
    case .sha512: SHA512.digest(of: bytes).hexadecimal
    }
  }

  var digitCount: Int {
    switch self {
    case .md5: 32
    case .sha1: 40
    case .sha256: 64
    case .sha512: 128
    }
  }
}
