#if os(Linux)
  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  extension NetworkAddress {
    /// The address in a `sockaddr`; nil for families other than IPv4 and IPv6.
    init?(sockaddr bytes: UnsafeRawBufferPointer) {
      guard bytes.count >= MemoryLayout<sa_family_t>.size else { return nil }
      let family = Int32(bytes.loadUnaligned(as: sa_family_t.self))
      // Before an IPv4 address come the family and the port, before an IPv6 address also the flow label.
      switch family {
      case AF_INET where bytes.count >= 8: self.init(bytes: Array(bytes[4..<8]))
      case AF_INET6 where bytes.count >= 24: self.init(bytes: Array(bytes[8..<24]))
      default: return nil
      }
    }

    /// The port in a `sockaddr` of IPv4 or IPv6.
    static func port(sockaddr bytes: UnsafeRawBufferPointer) -> Int? {
      guard NetworkAddress(sockaddr: bytes) != nil else { return nil }
      return Int(bytes[2]) << 8 | Int(bytes[3])
    }
  }
#endif
