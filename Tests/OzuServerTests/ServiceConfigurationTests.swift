import Ozu
import OzuHTTP
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
