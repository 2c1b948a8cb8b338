#if os(Linux)
  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  /// A netlink socket that receives messages about links, addresses and routes. It owns its descriptor until `close`.
  struct RouteSocket: Sendable {
    let descriptor: Int32

    private static var kind: Int32 {
      #if canImport(Glibc)
        Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
      #else
        SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK
      #endif
    }

    /// `struct sockaddr_nl` of <linux/netlink.h>, which has no module.
    private struct Address {
      var family: UInt16 = 16
      var padding: UInt16 = 0
      var port: UInt32 = 0
      /// `RTMGRP_LINK`, `RTMGRP_IPV4_IFADDR`, `RTMGRP_IPV4_ROUTE`, `RTMGRP_IPV6_IFADDR`, `RTMGRP_IPV6_ROUTE`.
      var groups: UInt32 = 0x1 | 0x10 | 0x40 | 0x100 | 0x400
    }

    /// `nil` if the system has no netlink, or a sandbox denies it.
    init?() {
      // AF_NETLINK, NETLINK_ROUTE.
      descriptor = socket(16, Self.kind, 0)
      guard descriptor >= 0 else { return nil }
      var address = Address()
      let status = withUnsafePointer(to: &address) { pointer in
        // `bind` reads the number of bytes that belongs to the family in the first field.
        UnsafeRawPointer(pointer).withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
        }
      }
      guard status == 0 else {
        close()
        return nil
      }
    }

    /// The messages of one datagram; `nil` if there are none now. After an overflow of the queue this returns no
    /// bytes, and reading continues: usually more messages follow the lost ones, and a missed return costs only one
    /// restart.
    func read() -> [UInt8]? {
      var bytes = [UInt8](repeating: 0, count: 16 << 10)
      while true {
        let count = bytes.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
        if count >= 0 { return Array(bytes.prefix(count)) }
        if errno == EINTR { continue }
        return errno == ENOBUFS ? [] : nil
      }
    }

    func close() {
      #if canImport(Glibc)
        _ = Glibc.close(descriptor)
      #elseif canImport(Musl)
        _ = Musl.close(descriptor)
      #endif
    }
  }
#endif
