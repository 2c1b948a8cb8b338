#if os(Linux)
  import OzuBase

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

  /// The messages of rtnetlink (RFC 3549) that mean that connections may work again: an interface that runs again, an
  /// address with more than link scope, a default route.
  struct RouteMessages {
    /// Whether each interface ran at its last message.
    private var isRunning: [UInt32: Bool] = [:]

    private enum Kind {
      static let newLink: UInt16 = 16
      static let newAddress: UInt16 = 20
      static let newRoute: UInt16 = 24
    }

    private static let headByteCount = 16
    /// `IFF_RUNNING` and `IFF_LOOPBACK`.
    private static let (running, loopback): (UInt32, UInt32) = (0x40, 0x08)
    /// The first scope that is limited to the link.
    private static let linkScope: UInt8 = 253
    private static let unicast: UInt8 = 1

    /// Processes the bytes of one read: whole messages, each aligned to four bytes.
    ///
    /// - Returns: whether the network may be back.
    mutating func take(_ bytes: [UInt8]) -> Bool {
      var isBack = false
      var position = 0
      while bytes.count - position >= Self.headByteCount {
        let length = Int(Self.number(bytes, at: position))
        guard length >= Self.headByteCount, length <= bytes.count - position else { break }
        let kind = UInt16(bytes[position + 4]) | UInt16(bytes[position + 5]) << 8
        let body = Array(bytes[(position + Self.headByteCount)..<(position + length)])
        isBack = takeMessage(kind, body) || isBack
        position += (length + 3) & ~3
      }
      return isBack
    }

    private mutating func takeMessage(_ kind: UInt16, _ body: [UInt8]) -> Bool {
      switch kind {
      case Kind.newLink:
        // struct ifinfomsg: family, padding, type (2), index (4), flags (4), change (4).
        guard body.count >= 16 else { return false }
        let (index, flags) = (Self.number(body, at: 4), Self.number(body, at: 8))
        let runs = flags & Self.running != 0
        // An interface that keeps running also sends messages, for many reasons.
        defer { isRunning[index] = runs }
        return runs && flags & Self.loopback == 0 && isRunning[index] == false
      case Kind.newAddress:
        // struct ifaddrmsg: family, prefix length, flags, scope, index (4).
        return body.count >= 8 && body[3] < Self.linkScope
      case Kind.newRoute:
        // struct rtmsg: family, destination length, source length, service, table, protocol, scope, type, flags (4).
        return body.count >= 12 && body[1] == 0 && body[7] == Self.unicast
      default: return false
      }
    }

    /// Netlink uses the byte order of the machine, which is little-endian wherever Swift runs on Linux.
    private static func number(_ bytes: [UInt8], at position: Int) -> UInt32 {
      (0..<4).reduce(0) { $0 | UInt32(bytes[position + $1]) << (8 * UInt32($1)) }
    }
  }
#endif
