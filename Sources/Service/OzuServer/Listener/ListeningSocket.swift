import OzuBase
import OzuHTTP

/// A listening socket, and the file to remove when it is closed.
struct ListeningSocket: Sendable {
  let descriptor: Int32
  /// The TCP port; 0 for other sockets.
  let port: Int
  /// The name for messages.
  let name: String
  /// The file of a Unix socket made here, with its identity: at the end the file is removed, unless another file
  /// has replaced it.
  private var file: (path: String, identity: FileIdentity)?

  private struct FileIdentity: Equatable, Sendable {
    let device: dev_t
    let number: ino_t

    init?(_ path: String) {
      var status = stat()
      guard lstat(path, &status) == 0 else { return nil }
      (device, number) = (status.st_dev, status.st_ino)
    }
  }

  /// Closes the socket. Connections that were not accepted are broken, unless another process has the same socket.
  func close() {
    if let file, FileIdentity(file.path) == file.identity { unlink(file.path) }
    _ = Glibc.close(descriptor)
  }

  private static func make(_ family: Int32) -> Int32 {
    socket(
      family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
  }

  // MARK: TCP

  init(host: String, port: Int) throws(ServiceListenerError) {
    name = "\(host):\(port)"
    guard let port = UInt16(exactly: port) else {
      throw ServiceListenerError(operation: "listen at", address: name, code: EINVAL)
    }
    var (address4, address6) = (sockaddr_in(), sockaddr_in6())
    let is4 = inet_pton(AF_INET, host, &address4.sin_addr) == 1
    guard is4 || inet_pton(AF_INET6, host, &address6.sin6_addr) == 1 else {
      throw ServiceListenerError(operation: "read the address", address: host, code: EINVAL)
    }
    (address4.sin_family, address4.sin_port) = (sa_family_t(AF_INET), port.bigEndian)
    (address6.sin6_family, address6.sin6_port) = (sa_family_t(AF_INET6), port.bigEndian)
    descriptor = Self.make(is4 ? AF_INET : AF_INET6)
    guard descriptor >= 0 else {
      throw ServiceListenerError(operation: "make a socket for", address: name, code: errno)
    }
    var on: Int32 = 1
    _ = setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    guard is4 ? Self.bind(descriptor, &address4) : Self.bind(descriptor, &address6),
      Glibc.listen(descriptor, Self.backlog) == 0,
      is4 ? Self.readName(descriptor, &address4) : Self.readName(descriptor, &address6)
    else {
      let error = ServiceListenerError(operation: "listen at", address: name, code: errno)
      _ = Glibc.close(descriptor)
      throw error
    }
    self.port = Int(UInt16(bigEndian: is4 ? address4.sin_port : address6.sin6_port))
  }

  private static let backlog: Int32 = 1024

  // The system takes an address of any family as a generic address with its length.

  private static func bind<Address>(_ descriptor: Int32, _ address: inout Address) -> Bool {
    withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<Address>.size)) == 0
      }
    }
  }

  private static func readName<Address>(_ descriptor: Int32, _ address: inout Address) -> Bool {
    var length = socklen_t(MemoryLayout<Address>.size)
    return withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) == 0 }
    }
  }

  // MARK: Unix sockets

  /// Binds another name and then renames it. So at every moment some process listens at the path, and clients can
  /// connect only after the permissions are set.
  init(path: String, permissions: UInt32) throws(ServiceListenerError) {
    func failure(_ operation: String, _ code: Int32 = errno) -> ServiceListenerError {
      ServiceListenerError(operation: operation, address: path, code: code)
    }
    (port, name) = (0, path)
    let temporary = "\(path).\(getpid())"
    guard path.hasPrefix("/"), var address = LoopSocket.address(of: temporary),
      let old = LoopSocket.address(of: path)
    else {
      throw failure("listen at", path.hasPrefix("/") ? ENAMETOOLONG : EINVAL)
    }
    switch Self.occupant(of: path, old) {
    case .nobody, .deadSocket: break
    case .listener: throw failure("listen at", EADDRINUSE)
    case .otherFile: throw failure("replace a file that is not a socket,", EEXIST)
    }
    descriptor = Self.make(AF_UNIX)
    guard descriptor >= 0 else { throw failure("make a socket for") }
    unlink(temporary)
    guard Self.bind(descriptor, &address), chmod(temporary, mode_t(permissions)) == 0,
      Glibc.listen(descriptor, Self.backlog) == 0, let identity = FileIdentity(temporary),
      rename(temporary, path) == 0
    else {
      let error = failure("listen at")
      unlink(temporary)
      _ = Glibc.close(descriptor)
      throw error
    }
    file = (path, identity)
  }

  private enum Occupant { case nobody, deadSocket, listener, otherFile }

  private static func occupant(of path: String, _ address: sockaddr_un) -> Occupant {
    var status = stat()
    guard lstat(path, &status) == 0 else { return .nobody }
    guard status.st_mode & S_IFMT == S_IFSOCK else { return .otherFile }
    let probe = make(AF_UNIX)
    guard probe >= 0 else { return .listener }
    defer { _ = Glibc.close(probe) }
    var address = address
    let isRefused = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(probe, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) != 0 && errno == ECONNREFUSED
      }
    }
    return isRefused ? .deadSocket : .listener
  }

  // MARK: Inherited sockets

  init(inheriting descriptor: Int32) throws(ServiceListenerError) {
    name = "the descriptor \(descriptor)"
    self.descriptor = descriptor
    var (kind, listens): (Int32, Int32) = (0, 0)
    var length = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &kind, &length) == 0,
      getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) == 0
    else { throw ServiceListenerError(operation: "accept connections at", address: name, code: errno) }
    guard kind == Int32(SOCK_STREAM.rawValue), listens != 0 else {
      throw ServiceListenerError(operation: "accept connections at", address: name, code: EOPNOTSUPP)
    }
    let flags = fcntl(descriptor, F_GETFL)
    guard flags >= 0, fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0,
      fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
    else { throw ServiceListenerError(operation: "accept connections at", address: name, code: errno) }
    var address = sockaddr_in6()
    // An IPv4 address is shorter, but its port is at the same offset.
    let isIP =
      Self.readName(descriptor, &address)
      && [sa_family_t(AF_INET), sa_family_t(AF_INET6)].contains(address.sin6_family)
    port = isIP ? Int(UInt16(bigEndian: address.sin6_port)) : 0
  }
}
