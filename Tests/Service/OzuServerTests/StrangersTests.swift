import Foundation
import Ozu
import OzuHTTP
import OzuTesting
import Testing

@testable import OzuServer

/// Untrusted clients choose the addresses of sources. No spelling of an address reaches the machine's own network, and no
/// redirect leads out of the allowed sources.
@Suite("Sources from untrusted clients", .timeLimit(.minutes(10)))
struct StrangersTests {
  private let origin: LoopbackServer

  init() throws {
    let picture = try PatternPicture(PixelSize(64, 48)).data(as: .png)
    origin = try LoopbackServer()
    origin.routeRest { _ in LoopbackResponse.ok(picture, type: "image/png") }
  }

  private func service(_ rules: AddressRules, _ pipeline: ImagePipeline.Configuration) throws -> ImageService
  {
    var rules = rules
    rules.allowsUnsigned = true
    var pipeline = pipeline
    pipeline.decoding.isolation = .off
    pipeline.caching.diskStorage = .none
    pipeline.network.retryPolicy.maximumRetryCount = 0
    var configuration = ImageService.Configuration(pipeline: pipeline)
    configuration.allowsDecodingInProcess = true
    configuration.allowsPrivateNetworks = true
    return try ImageService(addressing: SignedAddresses(rules), configuration: configuration)
  }

  private func status(_ service: ImageService, _ source: String) async -> Int {
    await service.respond(to: ServiceRequest(method: "GET", target: "/x/rs:fit:32:32/plain/\(source)")).status
  }

  /// `PORT` stands for that of a server on this machine.
  private static let spellings = [
    "http://127.0.0.1:PORT/", "http://localhost:PORT/", "http://127.1:PORT/", "http://127.0.1:PORT/",
    "http://2130706433:PORT/", "http://0x7f000001:PORT/", "http://0x7f.1:PORT/", "http://0177.0.0.1:PORT/",
    "http://017700000001:PORT/", "http://0:PORT/", "http://0.0.0.0:PORT/", "http://127.0.0.1.:PORT/",
    "http://127.255.255.254:PORT/", "http://[::1]:PORT/", "http://[::]:PORT/",
    "http://[::ffff:127.0.0.1]:PORT/",
    "http://[::ffff:7f00:1]:PORT/", "http://[::127.0.0.1]:PORT/", "http://[64:ff9b::7f00:1]:PORT/",
    "http://LOCALHOST:PORT/", "http://%6cocalhost:PORT/", "http://127%2E0.0.1:PORT/",
    "http://\u{24D0}@127.0.0.1:PORT/", "http://example.com@127.0.0.1:PORT/",
    "http://example.com%23@127.0.0.1:PORT/",
    "http://127.0.0.1:PORT\\@example.com/", "http://10.0.0.1/", "http://172.16.0.1/", "http://192.168.0.1/",
    "http://169.254.169.254/latest/meta-data/", "http://[fd00::1]/", "http://[fe80::1]/",
    "http://100.64.0.1/",
    "file:///etc/passwd", "gopher://127.0.0.1:PORT/_GET", "data:image/png;base64,AA", "//127.0.0.1:PORT/",
    "local:///etc/passwd",
  ]

  @Test("no spelling of an address of this machine or its network gets a request", arguments: spellings)
  func spelling(_ text: String) async throws {
    let service = try service(AddressRules(), .service())
    let status = await status(service, text.replacingOccurrences(of: "PORT", with: "\(origin.port)"))
    // A name that ends like an address is a host name, which does not resolve.
    #expect(text.contains(".1.:") ? status == 502 : status == 400 || status == 403, "\(text): \(status)")
    #expect(origin.connectionCount == 0)
  }

  @Test("the same server gets a request if private networks are allowed, so the table above is a real test")
  func allowed() async throws {
    var pipeline = ImagePipeline.Configuration.service()
    pipeline.network.httpClient = DefaultHTTPClient.shared
    let service = try service(AddressRules(), pipeline)
    #expect(await status(service, "http://127.0.0.1:\(origin.port)/") == 200)
    #expect(origin.requestCount == 1)
  }

  @Test(
    "a redirect is followed only to an allowed source",
    arguments: [
      ("/pictures/b.png", 200), ("/secret/b.png", 403), ("/pictures/../secret/b.png", 403),
      ("/pictures/%2e%2e/secret/b.png", 403), ("http://localhost:PORT/pictures/b.png", 403),
      ("/Pictures/b.png", 403), ("file:///etc/passwd", 403),
    ])
  func redirect(location: String, status: Int) async throws {
    var rules = AddressRules()
    rules.sources = ["http://127.0.0.1:\(origin.port)/pictures/"]
    var pipeline = ImagePipeline.Configuration.service(hosts: rules.sourceRule)
    var client = HTTPClientConfiguration()
    (client.hostRule, client.proxy) = (rules.sourceRule, .none)
    pipeline.network.httpClient = DefaultHTTPClient(configuration: client)
    let service = try service(rules, pipeline)
    origin.route(
      "/pictures/a.png",
      .redirect(to: location.replacingOccurrences(of: "PORT", with: "\(origin.port)")))
    #expect(await self.status(service, origin.url("/pictures/a.png").absoluteString) == status)
    #expect(origin.requests.filter { $0.path != "/pictures/a.png" }.count == (status == 200 ? 1 : 0))
  }
}
