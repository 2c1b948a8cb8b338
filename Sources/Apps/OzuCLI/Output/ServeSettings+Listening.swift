#if canImport(OzuServer)
  import Foundation
  import OzuServer

  /// Where the service listens.
  extension ServeSettings {
    enum ListenAddress: Equatable {
      case tcp(host: String, port: Int)
      case unix(path: String, permissions: UInt32)
      case systemd

      /// - Parameter name: the setting.
      /// - Throws: `UsageError` for a name without an address.
      func checkHost(of name: String) throws(UsageError) {
        guard case .tcp(let host, _) = self, !ServeSettings.isAddress(host) else { return }
        throw UsageError(
          "\(name): \(host): this name has no address", hint: "For example: \(name) = 127.0.0.1:8080")
      }
    }

    /// Whether a text is an IPv4 or IPv6 address.
    static func isAddress(_ host: String) -> Bool {
      var (four, six) = (in_addr(), in6_addr())
      return inet_pton(AF_INET, host, &four) == 1 || inet_pton(AF_INET6, host, &six) == 1
    }

    /// `127.0.0.1:8080`, `[::1]:80` for IPv6, `unix:/run/ozu.sock` or `systemd`.
    func listen() throws(UsageError) -> ListenAddress { try listen("listen") }

    /// The second address, for the pages of the service alone; `nil` without one.
    func statusListen() throws(UsageError) -> ListenAddress? {
      guard !self["status_listen"].isEmpty else { return nil }
      let address = try listen("status_listen")
      guard address != .systemd else {
        throw UsageError("status_listen = systemd: systemd passes one socket")
      }
      if case .tcp(_, 0) = address { return address }
      guard try address != listen() else {
        throw UsageError("status_listen = \(self["status_listen"]): listen has this address already")
      }
      return address
    }

    private func listen(_ name: String) throws(UsageError) -> ListenAddress {
      let text = self[name]
      guard let permissions = UInt32(self["socket_mode"], radix: 8), permissions <= 0o777 else {
        throw UsageError("socket_mode = \(self["socket_mode"]): three octal digits are needed, such as 660")
      }
      if text == "systemd" { return .systemd }
      if text.hasPrefix("unix:") {
        let path = String(text.dropFirst("unix:".count))
        guard path.hasPrefix("/") else {
          throw UsageError(
            "\(name) = \(text): a path from the root is needed", hint: "For example: unix:/run/ozu.sock")
        }
        return .unix(path: path, permissions: permissions)
      }
      guard let (host, port) = Self.address(text) else {
        throw UsageError(
          "\(name) = \(text): an address and a port are needed", hint: "For example: 127.0.0.1:8080")
      }
      return .tcp(host: Self.resolved(host) ?? host, port: port)
    }

    /// The first address of a name such as `localhost`; `nil` if it has none.
    private static func resolved(_ host: String) -> String? {
      var hints = addrinfo()
      (hints.ai_socktype, hints.ai_flags) = (Int32(SOCK_STREAM.rawValue), AI_PASSIVE)
      var list: UnsafeMutablePointer<addrinfo>?
      guard getaddrinfo(host, nil, &hints, &list) == 0 else { return nil }
      defer { freeaddrinfo(list) }
      guard let first = list?.pointee else { return nil }
      var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      // The address is one of the list, with its length.
      guard
        getnameinfo(
          first.ai_addr, first.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
      else { return nil }
      return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    static func address(_ text: String) -> (host: String, port: Int)? {
      guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
        (0...65_535).contains(port)
      else { return nil }
      var host = String(text[..<colon])
      if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
      let isName = host.utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) || ".-_".utf8.contains($0)
      }
      return !host.isEmpty && (isName || isAddress(host)) ? (host, port) : nil
    }
  }
#endif
