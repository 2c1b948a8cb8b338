#if os(Linux)
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
