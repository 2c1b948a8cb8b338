import Ozu
import OzuHTTP
import OzuImaging
import OzuTesting
import Testing

@testable import OzuServer

@Suite("Settings that are unsafe for untrusted clients are refused")
struct ServiceConfigurationTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let error: ServiceConfigurationError?
    let change: @Sendable (inout ImageService.Configuration) -> Void
    var testDescription: String { error.map { "\($0)" } ?? "fit" }
  }

  static let cases: [Case] = [
    Case(error: nil) { _ in },
    Case(error: .isolationNotRequired) { $0.pipeline.decoding.isolation = .preferred },
    Case(error: nil) {
      $0.pipeline.decoding.isolation = .off
      $0.allowsDecodingInProcess = true
    },
    Case(error: .readsLocalAddresses) { $0.pipeline.readsLocalAddresses = true },
    Case(error: .networkGuardOff) { $0.pipeline.network.httpClient = DefaultHTTPClient() },
    Case(error: nil) {
      $0.pipeline.network.httpClient = DefaultHTTPClient()
      $0.allowsPrivateNetworks = true
    },
    Case(error: .cacheNotShared) { $0.pipeline.caching.httpPolicy = .images },
  ]

  @Test(
    "pictures of phones, and what a thumbnail of them costs, are within the limits of a service",
    arguments: [
      (name: "HEIC, 24 megapixels", size: PixelSize(5712, 4284), decoded: 290_320_112, encoded: 4 << 20),
      ("PNG, 24 megapixels", PixelSize(6000, 4000), 2 << 20, 27 << 20),
      ("JPEG, 200 megapixels", PixelSize(16320, 12240), 1 << 20, 50 << 20),
    ])
  func phones(name: String, size: PixelSize, decoded: Int, encoded: Int) throws {
    let limits = ImagePipeline.Configuration.service().decoding.limits
    try limits.check(ImageHeader(type: .jpeg, storedSize: size))
    try limits.checkDecodedByteCount(decoded)
    try limits.checkEncodedByteCount(encoded)
    #expect(limits.cpuTime >= .seconds(5))
    #expect(DecodedByteBudget.shared.byteLimit >= decoded)
  }

  @Test(
    "a slower machine gets more processor time, a faster one not less",
    arguments: [(0.5, 1), (1, 1), (3, 3), (100, 16)])
  func speed(measured: Double, factor: Double) {
    #expect(MachineSpeed.factor(of: MachineSpeed.reference * measured) == factor)
  }

  @Test("a setting", arguments: cases)
  func check(item: Case) {
    var configuration = ImageService.Configuration()
    item.change(&configuration)
    var error: ServiceConfigurationError?
    do throws(ServiceConfigurationError) {
      _ = try ImageService(addressing: ServiceFixture.Addresses(), configuration: configuration)
    } catch let thrown {
      error = thrown
    }
    #expect(error == item.error)
  }
}
