// An app that imports Ozu alone uses each name that Ozu's API mentions, and their members. Compiled by check_samples.py under the
// upcoming feature MemberImportVisibility: without `@_exported import` in Sources/Core/Ozu/Ozu.swift a name is not found here.
import Foundation
import Ozu

struct Preparation {
  let url = URL(string: "https://example.com/a.jpg")!

  func configuration() -> ImagePipeline.Configuration {
    var configuration = ImagePipeline.Configuration()
    let rule: CacheKeyRule = CacheKeyRule(host: "*.example.com", droppingQueryItems: ["token"])
    configuration.caching.cacheKeyRules = [rule]
    let policy: HTTPCachePolicy = .ignoring(lifetime: .seconds(60))
    configuration.caching.httpPolicy = policy
    configuration.network.retryPolicy.maximumRetryCount = 2
    let retry: HTTPRetryPolicy = configuration.network.retryPolicy
    configuration.network.retryPolicy = retry
    let client: any HTTPClient = configuration.network.httpClient
    configuration.network.httpClient = client
    configuration.network.hostRule = HTTPHostRule.only(["*.example.com"])
    let preparation: (any HTTPRequestPreparing)? = configuration.network.requestPreparation
    configuration.network.requestPreparation = preparation
    var timeouts: HTTPTimeouts = configuration.network.timeouts
    timeouts.minimumSpeed = HTTPMinimumSpeed(bytesPerSecond: 1000, window: .seconds(30))
    configuration.network.timeouts = timeouts
    configuration.decoding.codecs = CodecRegistry.standard
    let isolation: DecoderIsolation = .preferred
    configuration.decoding.isolation = isolation
    configuration.caching.memoryCache = MemoryCacheConfiguration(costLimit: 64 << 20)
    configuration.decoding.limits.pixelCount = 1 << 20
    return configuration
  }

  func request() -> ImageRequest {
    var own = ImageURLRequest(url: url)
    let headers: HTTPHeaders = ["Accept": "image/*"]
    own.headers = headers
    own.headers.add(name: "Authorization", value: "none")
    var request = ImageRequest(own).processed(by: .circle())
    request.httpPolicy = .ignoring(lifetime: .seconds(60))
    request.colorPolicy = .keep
    return request
  }

  func size(_ picture: Picture) -> PixelSize { picture.bitmap.size }
  func reason(_ error: HTTPError) -> HTTPError.Reason { error.reason }
  func phase(_ error: HTTPError) -> HTTPTimeoutPhase? {
    if case .timedOut(let phase) = error.reason { phase } else { nil }
  }
  func decision(_ response: ImageResponse) -> HTTPDecision? { response.httpDecision }
  func place(_ disk: DiskCache, _ key: CacheKey) async -> Bool { await disk.contains(key) }
}
