import Foundation
import Ozu
import OzuHTTP
import OzuImaging
import OzuTesting
import Testing

@testable import OzuServer

@Suite("Sources that are refused, without a disk cache")
struct RefusedSourceTests {
  private static let url = ServiceFixture.url("a.png")

  private static func address(_ options: String) -> String { "/x/\(options)/plain/\(url.absoluteString)" }

  /// A picture of 64 x 48 pixels that the addresses or the service may refuse.
  private static func fixture(
    _ reply: FakeHTTPReply? = nil, _ configure: (inout ImageService.Configuration) -> Void = { _ in }
  ) throws -> ServiceFixture {
    let fixture = try ServiceFixture(addressing: SignedAddresses(AddressTests.openRules), configure)
    fixture.network.reply(
      to: url,
      with: try reply
        ?? FakeHTTPReply.ok(ServiceFixture.picture(), type: "image/png")
        .header("Cache-Control", "max-age=600"))
    return fixture
  }

  private static let html = FakeHTTPReply.ok(Data("<html>".utf8), type: "image/png")
  private static let cut = FakeHTTPReply.ok(Data([0x89] + "PNG\r\n\u{1A}\n".utf8), type: "image/png")
  private static let inward = FakeHTTPReply.failure(.redirectRefused(location: "http://10.0.0.1/"))

  @Test(
    "the origin is asked once in ten seconds, then once in twenty, whatever is wrong with the source",
    arguments: [
      ("w:10", nil, 422), ("msr:0.003", nil, 422), ("w:10/msfs:10", nil, 422), ("w:20", html, 422),
      ("skp:png/w:9", html, 422), ("w:20", cut, 422), ("w:20", inward, 403), ("info", html, 422),
      ("info/hs:md5:00000000000000000000000000000000", nil, 422), ("info/msr:0.003", nil, 422),
    ] as [(String, FakeHTTPReply?, Int)])
  func refusals(options: String, reply: FakeHTTPReply?, status: Int) async throws {
    let fixture = try Self.fixture(reply) {
      if options == "w:10" { $0.pipeline.decoding.limits.pixelCount = 3000 }
    }
    let isInformation = options.hasPrefix("info")
    let rest = options.split(separator: "/").dropFirst().map { "\($0)/" }.joined()
    let target =
      isInformation ? "/info/x/\(rest)plain/\(Self.url.absoluteString)" : Self.address(options)
    var fetches = 0
    for seconds in [10, 20] {
      fetches += 1
      for condition in [[:], ["If-None-Match": "\"none\""], [:]] as [HTTPHeaders] {
        let answer = await fixture.get(target, condition)
        #expect(answer.status == status)
        #expect(fixture.network.requestCount(for: Self.url) == fetches)
      }
      fixture.clock.advance(by: .seconds(seconds))
    }
  }

  @Test("what one address or recipe refuses, another may accept; other settings ask again")
  func demands() async throws {
    let fixture = try Self.fixture()
    #expect(await fixture.get(Self.address("w:10/msr:0.003")).status == 422)
    #expect(await fixture.get(Self.address("w:10/msr:0.004")).status == 200)
    #expect(await fixture.get(Self.address("w:11/msfs:10")).status == 422)
    #expect(await fixture.get(Self.address("w:11")).status == 200)
    let count = fixture.network.requestCount(for: Self.url)
    fixture.service.replaceAddressing(by: SignedAddresses(AddressTests.openRules))
    #expect(await fixture.get(Self.address("w:12/msfs:10")).status == 422)
    #expect(await fixture.get(Self.address("w:13/msfs:10")).status == 422)
    #expect(fixture.network.requestCount(for: Self.url) == count + 2)
    for _ in 0..<2 {
      fixture.service.replaceAddressing(by: SignedAddresses(AddressTests.openRules))
      #expect(await fixture.get(Self.address("w:13/msfs:10")).status == 422)
    }
    #expect(fixture.network.requestCount(for: Self.url) == count + 4)
  }

  @Test("what is too large for one address is passed on for another with the same recipe")
  func passedOn() async throws {
    let fixture = try Self.fixture { $0.pipeline.decoding.limits.pixelCount = 3000 }
    #expect(await fixture.get(Self.address("w:10")).status == 422)
    #expect(await fixture.get(Self.address("w:10/raw:1")).status == 200)
    #expect(await fixture.get(Self.address("w:10/skp:png")).status == 200)
  }

  @Test("what is no picture is passed on after it was refused as one")
  func noPicture() async throws {
    let fixture = try Self.fixture(Self.html)
    #expect(await fixture.get(Self.address("w:10")).status == 422)
    #expect(await fixture.get(Self.address("w:10/raw:1")).status == 200)
    let count = fixture.network.requestCount(for: Self.url)
    #expect(await fixture.get(Self.address("w:10"), ["If-None-Match": "\"none\""]).status == 422)
    #expect(fixture.network.requestCount(for: Self.url) == count)
  }

  @Test("a failure that may pass by itself is not remembered")
  func passing() async throws {
    for reply in [FakeHTTPReply.status(500), .failure(.connectionRefused), .failure(.timedOut(.idle))] {
      let fixture = try Self.fixture(reply)
      for count in 1...3 {
        #expect(await fixture.get(Self.address("w:10")).status >= 500)
        #expect(fixture.network.requestCount(for: Self.url) == count)
      }
    }
  }
}
