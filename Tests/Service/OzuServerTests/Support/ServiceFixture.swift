import Foundation
import Ozu
import OzuHTTP
import OzuImaging
import OzuSharedStores
import OzuTesting

@testable import OzuServer

extension ServiceResponding {
  /// The answer, if it needs no waiting.
  func immediateResponse(to request: ServiceRequest) -> ServiceResponse? {
    guard case .response(let response) = begin(request) else { return nil }
    return response
  }
}

/// A service on a fake network, with the address `/{width}/{name}` for `https://origin.test/{name}` as PNG.
struct ServiceFixture {
  /// The width may have any number of digits; `save` after it makes an attachment.
  struct Addresses: PictureAddressing {
    func picture(for request: ServiceRequest, at date: Date) throws(AddressRefusal) -> AddressedPicture {
      let parts = request.target.split(separator: "/")
      guard parts.count >= 2, let width = Int(parts[0]),
        let url = URL(string: "https://\(ServiceFixture.host(parts[1]))/\(parts[1])")
      else {
        throw AddressRefusal(status: 404, reason: "no such address")
      }
      var picture = AddressedPicture(
        request: ImageRequest(url: url).resized(to: PixelSize(width, width)),
        output: .negotiated(accept: request.headers["Accept"]))
      picture.varyingFields = ["Accept"]
      if parts.count > 2 {
        picture.fileName = String(parts[2]).removingPercentEncoding
        picture.isAttachment = true
      }
      return picture
    }
  }

  /// The part of a name before a hyphen is the name of the host, and a port after an underscore.
  static func host(_ name: Substring) -> String {
    let parts = name.prefix { $0 != "-" }.split(separator: "_")
    return name.contains("-")
      ? "\(parts[0]).test" + parts.dropFirst().map { ":\($0)" }.joined() : "origin.test"
  }

  let network: FakeHTTPClient
  let clock: ManualClock
  let service: ImageService

  init(
    network: FakeHTTPClient = FakeHTTPClient(), clock: ManualClock = ManualClock(),
    stores: [any ImageStoring] = [], addressing: any PictureAddressing = Addresses(),
    _ configure: (inout ImageService.Configuration) -> Void = { _ in }
  ) throws {
    self.network = network
    self.clock = clock
    var pipeline = ImagePipeline.Configuration.service()
    pipeline.decoding.isolation = .off
    pipeline.network.httpClient = network
    // The contents of the caches must not depend on the machine.
    pipeline.caching.memoryCache.pressure = nil
    pipeline.caching.encodedMemoryCache.pressure = nil
    pipeline.caching.diskStorage = .none
    pipeline.caching.stores = stores
    pipeline.testing.currentDate = clock.date
    pipeline.network.networkMonitor = nil
    pipeline.network.retryPolicy.maximumRetryCount = 0
    var configuration = ImageService.Configuration(pipeline: pipeline)
    configuration.allowsDecodingInProcess = true
    // So that equal requests have equal answers.
    configuration.newRequestNumber = { "number" }
    configure(&configuration)
    service = try ImageService(addressing: addressing, configuration: configuration)
  }

  static func url(_ name: String) -> URL { URL(string: "https://\(host(name[...]))/\(name)")! }

  static func picture(_ number: Int = 1) throws -> Data {
    try PatternPicture(PixelSize(64, 48), tint: number).data(as: .png)
  }

  /// Makes the origin answer with a picture.
  func serve(_ name: String, number: Int = 1, control: String? = "max-age=600", gate: Gate? = nil) throws {
    var reply = FakeHTTPReply.ok(try Self.picture(number), type: "image/png")
    if let control { reply = reply.header("Cache-Control", control) }
    if let gate { reply = reply.held(by: gate) }
    network.reply(to: Self.url(name), with: reply)
  }

  func get(_ target: String, _ headers: HTTPHeaders = [:], method: String = "GET") async -> ServiceResponse {
    await service.respond(to: ServiceRequest(method: method, target: target, headers: headers))
  }
}
