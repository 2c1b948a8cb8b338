import Ozu
import OzuBase
import OzuCaching
import OzuHTTP

/// The bytes of an entry in a shared store:
///
/// | offset | size | field |
/// |---|---|---|
/// | 0 | 4 | `OZs1` |
/// | 4 | 4 | length of the head, little-endian |
/// | 8 | 8 | XXH64 of the head, seed 0, little-endian |
/// | 16 | | the head: version, key, kind, metadata, length and XXH64 of the body (`FieldWriter`) |
/// | | | the body |
///
/// With a `SharedEntryKey` it begins with `OZk1`, an authentication code of 32 bytes (HMAC-SHA-256 of the head) stands before the
/// head, and the head ends with the SHA-256 of the body.
///
/// Other programs may write to the store, so nothing in it is trusted. An entry is valid only if the checksums
/// match, the key is the requested one and the version is the current one; all other entries are foreign or
/// damaged. The checksums are those of the disk cache. They detect damage, not forgery: without a `SharedEntryKey` a program that
/// can write to the store can put pictures there. A store with one accepts only entries with its code, and a store without one
/// only those without.
package enum SharedEntry {
  /// Must change when the bytes of an entry get another meaning: its own form, or that of the metadata or of
  /// renditions. Machines with different versions then do not read each other's entries.
  static let version = 1

  private static let magic: [UInt8] = Array("OZs1".utf8)
  private static let keyedMagic: [UInt8] = Array("OZk1".utf8)
  private static let prefixByteCount = 16

  /// The bytes before the head.
  private static func beginning(_ secret: SharedEntryKey?) -> Int {
    prefixByteCount + (secret == nil ? 0 : SharedEntryKey.codeByteCount)
  }

  static func encode(
    _ entry: ImageStoreEntry, for key: ImageStoreKey, by secret: SharedEntryKey? = nil
  ) -> Data {
    var writer = FieldWriter()
    writer.append(version)
    writer.append(key.key.high)
    writer.append(key.key.low)
    writer.append(key.kind.name)
    writer.append(entry.metadata)
    writer.append(entry.body.count)
    writer.append(checksum(entry.body))
    if secret != nil { writer.append(Data(SHA256.digest(of: entry.body))) }
    let head = writer.data
    var data = Data(capacity: beginning(secret) + head.count + entry.body.count)
    data.append(contentsOf: secret == nil ? magic : keyedMagic)
    withUnsafeBytes(of: UInt32(head.count).littleEndian) { data.append(contentsOf: $0) }
    withUnsafeBytes(of: checksum(head).littleEndian) { data.append(contentsOf: $0) }
    if let secret { data.append(contentsOf: secret.code(of: head)) }
    data.append(head)
    data.append(entry.body)
    return data
  }

  /// Decodes the entry of a key; `nil` if the bytes are damaged, truncated, or belong to another key or version.
  package static func decode(
    _ data: Data, for key: ImageStoreKey, by secret: SharedEntryKey? = nil
  ) -> ImageStoreEntry? {
    guard let (head, byteCount) = head(of: data, for: key, by: secret) else { return nil }
    let body = data.dropFirst(byteCount)
    guard body.count == head.bodyByteCount, checksum(body) == head.bodyChecksum else { return nil }
    // No checksum of 64 bits keeps a body from being replaced on purpose.
    if let digest = head.bodyDigest, Data(SHA256.digest(of: body)) != digest { return nil }
    return ImageStoreEntry(metadata: head.metadata, body: Data(body))
  }

  /// The metadata of a key's entry, from the beginning of its bytes; `nil` if it is not an entry of the key.
  ///
  /// - Throws: `NeedsMore` if the beginning is too short.
  package static func metadata(
    ofBeginning data: Data, for key: ImageStoreKey, by secret: SharedEntryKey? = nil
  ) throws(NeedsMore) -> Data? {
    if let count = headByteCount(data, secret), data.count < beginning(secret) + count { throw NeedsMore() }
    return head(of: data, for: key, by: secret)?.head.metadata
  }

  /// The metadata is longer than the given bytes.
  package struct NeedsMore: Error {}

  private struct Head {
    var metadata: Data
    var bodyByteCount: Int
    var bodyChecksum: UInt64
    /// Only with a key.
    var bodyDigest: Data?
  }

  private static func headByteCount(_ data: Data, _ secret: SharedEntryKey?) -> Int? {
    guard data.count >= prefixByteCount, data.starts(with: secret == nil ? magic : keyedMagic) else {
      return nil
    }
    return Int(integer(data, at: 4, as: UInt32.self))
  }

  private static func head(
    of data: Data, for key: ImageStoreKey, by secret: SharedEntryKey?
  ) -> (head: Head, byteCount: Int)? {
    let start = beginning(secret)
    guard let count = headByteCount(data, secret), count <= data.count - start else { return nil }
    let bytes = data.dropFirst(start).prefix(count)
    guard checksum(bytes) == integer(data, at: 8, as: UInt64.self) else { return nil }
    if let secret {
      let code = data.dropFirst(prefixByteCount).prefix(SharedEntryKey.codeByteCount)
      guard secret.authenticates(bytes, code) else { return nil }
    }
    let head = FieldReader.record(bytes, version: version) { reader throws(FieldReader.Damage) -> Head? in
      let found = CacheKey(high: try reader.word(), low: try reader.word())
      let kind = try reader.text()
      var head = Head(
        metadata: try reader.data(), bodyByteCount: try reader.integer(), bodyChecksum: try reader.word())
      if secret != nil { head.bodyDigest = try reader.data() }
      return found == key.key && kind == key.kind.name ? head : nil
    }
    return (head ?? nil).map { ($0, start + count) }
  }

  private static func integer<Value: FixedWidthInteger>(_ data: Data, at offset: Int, as type: Value.Type)
    -> Value
  {
    data.dropFirst(offset).prefix(MemoryLayout<Value>.size).reversed().reduce(0) { $0 << 8 | Value($1) }
  }

  private static func checksum(_ data: Data) -> UInt64 { data.withUnsafeBytes { Checksum64.of($0, seed: 0) } }
}

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
    SHA256.areEqual(Array(code), self.code(of: message))
  }
}
