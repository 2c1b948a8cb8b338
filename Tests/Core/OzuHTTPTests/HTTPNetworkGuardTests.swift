import OzuTesting
import Testing

@testable import OzuHTTP

@Suite("The guard against addresses that are not public")
struct HTTPNetworkGuardTests {
  /// `a.b.c.d`, or eight groups in hexadecimal; `::` stands for as many zeros as are missing.
  static func address(_ text: String) -> NetworkAddress? {
    if text.contains(".") {
      return NetworkAddress(bytes: text.split(separator: ".").compactMap { UInt8($0) })
    }
    let halves = text.split(separator: "::", omittingEmptySubsequences: false)
      .map { $0.split(separator: ":").compactMap { UInt16($0, radix: 16) } }
    let missing = 8 - halves.reduce(0) { $0 + $1.count }
    let zeros = [UInt16](repeating: 0, count: max(0, missing))
    let groups = halves.count == 2 ? halves[0] + zeros + halves[1] : halves[0]
    return NetworkAddress(bytes: groups.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] })
  }

  @Test(
    "not public",
    arguments: [
      "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1",
      "127.255.0.1", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.168.1.1", "192.0.0.1",
      "192.0.2.1",
      "198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.9", "224.0.0.1", "239.1.1.1", "240.0.0.1",
      "255.255.255.255", "::", "::1", "::7f00:1", "::ffff:7f00:1", "::ffff:a00:1", "::ffff:0:7f00:1",
      "64:ff9b::7f00:1", "64:ff9b::c0a8:101", "64:ff9b:1::1", "100::1", "2001::1", "2001:db8::1",
      "2002:7f00:1::1",
      "2002:c0a8:101::1", "fc00::1", "fdff::1", "fe80::1", "febf::1", "fec0::1", "ff02::1",
      "2606:4700::5efe:a00:1", "2606:4700::200:5efe:7f00:1", "2606:4700::100:5efe:7f00:1",
      "2606:4700::300:5efe:c0a8:101", "2002:808:808::5efe:a00:1", "64:ff9b:0:1::1", "100:0:0:1::1",
      "168.63.129.16",
      "200::1", "400::1", "1fff::1", "4000::1", "8000::1", "fe00::1", "3fff::1", "2001:1ff::1", "5f00::1",
    ])
  func notPublic(_ text: String) throws {
    #expect(try !#require(Self.address(text)).isPublic)
  }

  @Test(
    "public",
    arguments: [
      "1.1.1.1", "9.255.255.255", "11.0.0.1", "100.63.255.255", "100.128.0.1", "126.1.1.1", "128.0.0.1",
      "169.253.1.1", "172.15.0.1", "172.32.0.1", "192.167.1.1", "198.17.1.1", "198.20.1.1", "223.255.255.1",
      "2606:4700::1111", "2a00::1", "::ffff:101:101", "64:ff9b::808:808", "2002:808:808::1",
      "2001:4860::8888", "2606:4700::5efe:808:808", "2606:4700::200:5efe:808:808", "2606:4700::5eff:a00:1",
      "2606:4700::400:5efe:a00:1", "2001:200::1", "3ffe::1", "168.63.129.17",
    ])
  func isPublic(_ text: String) throws {
    #expect(try #require(Self.address(text)).isPublic)
  }

  @Test(
    "addresses are written in the short form (RFC 5952)",
    arguments: [
      "::", "::1", "2606:4700::1111", "2001:db8:0:1:1:1:1:1", "2001:0:0:1::1", "1:2:3:4:5:6:7:8", "fe80::",
      "10.0.0.1",
    ])
  func shortForm(_ text: String) throws {
    #expect(try #require(Self.address(text)).description == text)
  }

  #if os(Linux)
    @Test(
      "every spelling of loopback is refused before a connection is made",
      arguments: [
        "127.0.0.1", "localhost", "2130706433", "0x7f.1", "0177.0.0.1", "127.1", "[::ffff:127.0.0.1]",
        "[::1]", "0.0.0.0",
      ])
    func spellings(_ host: String) async throws {
      let server = try LoopbackServer()
      let client = directClient { $0.networkGuard = .publicAddressesOnly }
      let reason = await failure(
        of: HTTPRequest(url: url("http://\(host):\(server.port)/")), by: client)
      if case .addressRefused? = reason {} else { Issue.record("\(String(describing: reason))") }
      #expect(server.connectionCount == 0)
    }

    @Test(
      "the address of each hop of a chain of redirects is checked, whether the client or a cache follows it",
      arguments: [true, false])
    func redirects(isByCache: Bool) async throws {
      let server = try LoopbackServer()
      var configuration = HTTPClientConfiguration()
      configuration.proxy = .none
      // 127.0.0.1 stands for the public network, the other loopback addresses for a private one.
      let client = CurlClient(configuration: configuration) { $0.description == "127.0.0.1" }
      let error = await redirectFailure(
        of: client, from: server, toHost: "127.0.0.2", isByCache: isByCache)
      #expect(error?.reason == .addressRefused("127.0.0.2"))
      #expect(error?.url == server.url("/secret", host: "127.0.0.2"))
      #expect(server.requestCount == 2)
    }

    @Test("a proxy that would connect instead is not used")
    func proxy() async throws {
      let proxy = try LoopbackServer()
      let client = directClient {
        $0.networkGuard = .publicAddressesOnly
        $0.proxy = .url(proxy.url("/"))
      }
      let reason = await failure(of: HTTPRequest(url: proxy.url("/")), by: client)
      #expect(reason == .addressRefused("127.0.0.1"))
      #expect(proxy.connectionCount == 0)
    }
  #endif
}
