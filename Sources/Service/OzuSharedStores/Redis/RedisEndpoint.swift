import OzuBase
import OzuHTTP

/// An address to connect to: the bytes of a `sockaddr`.
struct RedisEndpoint: Sendable, Hashable {
  let family: Int32
  private let bytes: [UInt8]

  /// Calls `body` with the address and its length.
  func withSocketAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    // `bytes` may be shorter than a `sockaddr` and not aligned, so they are copied to storage for the largest
    // address.
    var storage = sockaddr_storage()
    withUnsafeMutableBytes(of: &storage) {
      $0.copyBytes(from: bytes.prefix(MemoryLayout<sockaddr_storage>.size))
    }
    return withUnsafePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(bytes.count)) }
    }
  }

  /// The reason why an address has no endpoints.
  struct Unresolved: Error, Sendable {
    let message: String
  }

  /// The endpoints of an address, in the order to try them. Blocks while it asks name servers.
  static func resolving(_ address: RedisAddress) throws(Unresolved) -> [RedisEndpoint] {
    switch address {
    case .unix(let path): [try unix(path)]
    case .tcp(let host, let port): try tcp(host, port)
    }
  }

  private static func unix(_ path: String) throws(Unresolved) -> RedisEndpoint {
    guard !path.isEmpty, let address = LoopSocket.address(of: path) else {
      throw Unresolved(message: "the path of the socket is empty or too long")
    }
    return RedisEndpoint(family: AF_UNIX, bytes: withUnsafeBytes(of: address) { Array($0) })
  }

  private static func tcp(_ host: String, _ port: Int) throws(Unresolved) -> [RedisEndpoint] {
    guard (1...65_535).contains(port) else {
      throw Unresolved(message: "the port is not between 1 and 65535")
    }
    var hints = addrinfo()
    hints.ai_family = AF_UNSPEC
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_NUMERICSERV
    var list: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(host, String(port), &hints, &list)
    guard status == 0 else { throw Unresolved(message: String(cString: gai_strerror(status))) }
    defer { freeaddrinfo(list) }
    // getaddrinfo(3) makes a list that ends with null, each with `ai_addrlen` bytes at `ai_addr`.
    return sequence(first: list) { $0?.pointee.ai_next }.prefix { $0 != nil }.compactMap { item in
      guard let info = item?.pointee, let address = info.ai_addr else { return nil }
      let bytes = UnsafeRawBufferPointer(start: address, count: Int(info.ai_addrlen))
      return RedisEndpoint(family: info.ai_family, bytes: Array(bytes))
    }
  }
}
