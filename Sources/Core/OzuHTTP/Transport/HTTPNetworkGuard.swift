import OzuBase

/// Keeps a client that loads addresses of strangers away from its own private network.
///
/// It checks the IP address just before each connection, on every hop of a chain of redirects. So it catches names
/// that resolve to private addresses, unusual spellings of numbers, and name servers that change their answer
/// between check and use. While it is on, no proxy is used, because a proxy would connect instead of the client.
/// `URLSession` does not report addresses, so there every request is refused while it is on.
public enum HTTPNetworkGuard: Sendable, Hashable {
  /// The client may connect to any address.
  case off
  /// The client may connect only to addresses of the public internet: not to loopback, private, link-local, shared
  /// (CGNAT), multicast or reserved addresses, nor to IPv6 addresses that contain such an IPv4 address (RFC 6890).
  /// Addresses that a network derives from IPv4 addresses with a prefix of its own (RFC 6052, 6rd) cannot be
  /// recognized.
  case publicAddressesOnly

  /// Decides to which addresses the client may connect; nil allows all.
  var filter: AddressFilter? {
    switch self {
    case .off: nil
    case .publicAddressesOnly: { address in address.isPublic }
    }
  }
}

/// Returns whether the client may connect to an address.
typealias AddressFilter = @Sendable (NetworkAddress) -> Bool

/// An IP address in binary form.
struct NetworkAddress: Hashable, CustomStringConvertible {
  /// 4 or 16 bytes in network order.
  let bytes: [UInt8]

  init?(bytes: [UInt8]) {
    guard bytes.count == 4 || bytes.count == 16 else { return nil }
    self.bytes = bytes
  }

  /// Whether it is an address of the public internet (IANA's special-purpose registries, RFC 6890).
  var isPublic: Bool {
    bytes.count == 4 ? Self.isPublic4(bytes) : isPublic6
  }

  /// `a.b.c.d`, or groups in hexadecimal with the longest run of zeros as `::` (RFC 5952).
  var description: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    // There is room for the longest address.
    inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count))
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  private static let special4: [(prefix: [UInt8], length: Int)] = [
    ([0, 0, 0, 0], 8),  // this network
    ([10, 0, 0, 0], 8), ([172, 16, 0, 0], 12), ([192, 168, 0, 0], 16),  // private
    ([100, 64, 0, 0], 10),  // shared, behind a carrier's NAT
    ([127, 0, 0, 0], 8),  // loopback
    ([169, 254, 0, 0], 16),  // link-local
    ([192, 0, 0, 0], 24), ([192, 0, 2, 0], 24), ([198, 51, 100, 0], 24), ([203, 0, 113, 0], 24),  // special
    ([192, 88, 99, 0], 24),  // relays to IPv6
    ([198, 18, 0, 0], 15),  // benchmarks
    ([168, 63, 129, 16], 32),  // the host of a virtual machine in Azure, which answers for its metadata
    ([224, 0, 0, 0], 4), ([240, 0, 0, 0], 4),  // multicast, reserved, broadcast
  ]

  // Exceptions within 2000::/3. All other prefixes are special or not assigned (RFC 4291 §2.4).
  private static let special6: [(prefix: [UInt8], length: Int)] = [
    ([0x20, 0x01, 0x00, 0x00], 23),  // protocols, Teredo among them
    ([0x20, 0x01, 0x0D, 0xB8], 32), ([0x3F, 0xFF, 0x00], 20),  // documentation
  ]

  private static func isPublic4(_ bytes: [UInt8]) -> Bool {
    !special4.contains { has(bytes, $0.prefix, $0.length) }
  }

  private var isPublic6: Bool {
    guard embedded4.allSatisfy(Self.isPublic4) else { return false }
    // IPv4-mapped (RFC 4291 §2.5.5.2) and translated with the well-known prefix (RFC 6052): only the IPv4 address
    // matters.
    if Self.has(bytes, Self.mapped, 96) || Self.has(bytes, Self.translated, 96) { return true }
    return Self.has(bytes, [0x20], 3) && !Self.special6.contains { Self.has(bytes, $0.prefix, $0.length) }
  }

  private static let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
  private static let translated: [UInt8] = [0x00, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]

  /// The embedded IPv4 addresses, to which a relay or a tunnel would forward. One address may have two.
  private var embedded4: [[UInt8]] {
    var found: [[UInt8]] = []
    if Self.has(bytes, Self.mapped, 96) || Self.has(bytes, Self.translated, 96) {
      found.append(Array(bytes[12...]))
    }
    // 6to4 (RFC 3056).
    if Self.has(bytes, [0x20, 0x02], 16) { found.append(Array(bytes[2..<6])) }
    // ISATAP (RFC 5214 §6.1): an interface identifier under any prefix. Its lowest two bits say whether the IPv4
    // address is unique; the sender chooses them.
    if bytes[8] & 0xFC == 0, bytes[9...].starts(with: [0x00, 0x5E, 0xFE]) {
      found.append(Array(bytes[12...]))
    }
    return found
  }

  private static func has(_ bytes: [UInt8], _ prefix: [UInt8], _ length: Int) -> Bool {
    for bit in stride(from: 0, to: length, by: 8) {
      let mask = UInt8(truncatingIfNeeded: 0xFF00 >> min(8, length - bit))
      let wanted = bit / 8 < prefix.count ? prefix[bit / 8] : 0
      if bytes[bit / 8] & mask != wanted & mask { return false }
    }
    return true
  }
}
