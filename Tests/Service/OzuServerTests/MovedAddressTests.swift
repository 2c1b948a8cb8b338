import Foundation
import OzuImaging
import OzuTesting
import Testing

@testable import OzuServer

/// nginx with `Examples/Service/moving.conf` in front of a real `ozu serve`. Only the ports are other ones.
@Suite(
  "Addresses of other services, translated by nginx",
  .enabled(if: RealNginx.program != nil, "nginx is not installed: scripts/install-test-tools does that"),
  .timeLimit(.minutes(10)))
struct MovedAddressTests {
  /// The address, with `@` for that of the source in escapes and `~` for it without a host; the size of the result, and its type.
  /// The source has 64 x 48 pixels.
  static let addresses: [(address: String, width: Int, height: Int, type: String)] = [
    // thumbor and imagor.
    ("/unsafe/32x32/smart/@", 32, 32, "jpeg"), ("/unsafe/32x0/@", 32, 24, "jpeg"),
    ("/unsafe/@", 64, 48, "jpeg"),
    ("/unsafe/fit-in/32x32/@", 32, 24, "jpeg"), ("/unsafe/fit-in/128x128/@", 64, 48, "jpeg"),
    ("/unsafe/fit-in/128x128/filters:upscale()/@", 128, 96, "jpeg"), ("/unsafe/128x0/@", 128, 96, "jpeg"),
    ("/unsafe/128x128/filters:no_upscale()/@", 48, 48, "jpeg"), ("/unsafe/stretch/20x10/@", 20, 10, "jpeg"),
    ("/unsafe/-32x-24/left/top/@", 32, 24, "jpeg"), ("/unsafe/x24/right/bottom/@", 32, 24, "jpeg"),
    ("/unsafe/fit-in/32x32/filters:fill(ff8000):format(png):quality(50)/@", 32, 32, "png"),
    ("/unsafe/fit-in/32x32/2x3/@", 36, 30, "jpeg"), ("/unsafe/fit-in/32x32/2x3:4x5/@", 38, 32, "jpeg"),
    ("/unsafe/trim/32x24/filters:blur(2,1.5):max_bytes(2000):format(webp)/@", 32, 24, "webp"),
    ("/abcdefghijklmnopqrstuvwxyz0=/16x12/@", 16, 12, "jpeg"),
    // next/image.
    ("/_next/image?url=@&w=32&q=75", 32, 24, "jpeg"),
    ("/_next/image?url=%2F~&w=48&q=75&dpl=dpl_1", 48, 36, "jpeg"),
    // Nuxt and Astro.
    ("/_ipx/w_32&f_webp/~", 32, 24, "webp"), ("/_ipx/_/~", 64, 48, "jpeg"),
    ("/_ipx/q_50,s_20x20,f_png/~", 20, 20, "png"), ("/_image?href=%2F~&w=32&f=png", 32, 24, "png"),
    ("/_image?href=@&h=12&q=40", 16, 12, "jpeg"),
  ]

  /// What is not translated.
  static let refused = [
    "/unsafe/32x32/filters:grayscale()/@", "/unsafe/10x10:20x20/32x32/@", "/unsafe/meta/32x32/@",
    "/short/32x32/@",
    "/unsafe/32x32/filters:fill(red)/@", "/unsafe/32x32/filters:quality(50):format(heic)/@",
    "/unsafe/32x32/filters:blur()/@",
    "/unsafe/32x32/filters:watermark(a,b)/@", "/_next/image?url=@&w=33&q=75", "/_next/image?w=32&q=75&url=@",
    "/_ipx/w_32&blur_3/~", "/_image?href=@&w=32&fit=cover", "/_image?href=@&w=a", "/x/w:10/plain/@",
    "/metrics",
  ]

  @Test("are the pictures that they were, or are refused")
  func translation() async throws {
    let origin = try LoopbackServer()
    origin.route(
      "/cats/1.png",
      LoopbackResponse.ok(try PatternPicture(PixelSize(64, 48)).data(as: .png), type: "image/png"))
    let base = origin.url("/").absoluteString
    let service = try ServeProcess(["OZU_SOURCES": base, "OZU_BASE_ADDRESS": base])
    let port = try await service.port()
    let nginx = try await RealNginx { folder in
      let file = Repository.url("Examples/Service/moving.conf")
      return try String(contentsOf: file, encoding: .utf8)
        .replacingOccurrences(of: "127.0.0.1:8081", with: "127.0.0.1:\(port)")
        .replacingOccurrences(of: "listen 8001;", with: "listen unix:\(folder)/nginx.sock;")
    }
    let source = origin.url("/cats/1.png").absoluteString
      .replacingOccurrences(of: ":", with: "%3A").replacingOccurrences(of: "/", with: "%2F")
    func get(_ address: String) async throws -> TestClient.Answer {
      let target = address.replacingOccurrences(of: "@", with: source)
        .replacingOccurrences(of: "~", with: "cats/1.png")
      let client = try TestClient(path: nginx.socket)
      client.send("GET \(target) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
      return try await client.answer()
    }
    for (address, width, height, type) in Self.addresses {
      let answer = try await get(address)
      #expect(answer.status == 200 && answer.headers["Content-Type"] == "image/\(type)", "\(address)")
      let header = try? CodecRegistry.standard.header(of: Data(answer.body))
      #expect(header?.size == PixelSize(width, height), "\(address)")
    }
    for address in Self.refused {
      let answer = try await get(address)
      #expect(answer.status == 404, "\(address)")
      #expect(String(decoding: answer.body, as: UTF8.self).contains("not translated"), "\(address)")
    }
  }
}
