// An app that imports Ozu alone uses each name that Ozu's API mentions, and their members. Compiled by check_samples.py under the
// upcoming feature MemberImportVisibility: without `@_exported import` in Sources/Ozu/Ozu.swift a name is not found here.
import Foundation
import Ozu

struct Preparation {
  let url = URL(string: "https://example.com/a.jpg")!

  func configuration() -> ImagePipeline.Configuration {
    var configuration = ImagePipeline.Configuration()
    let rule: CacheKeyRule = CacheKeyRule(host: "*.example.com", droppingQueryItems: ["token"])
    configuration.cacheKeyRules = [rule]
    let policy: HTTPCachePolicy = .ignoring(lifetime: .seconds(60))
    configuration.httpPolicy = policy
    configuration.retryPolicy.maximumRetryCount = 2
    let retry: HTTPRetryPolicy = configuration.retryPolicy
    configuration.retryPolicy = retry
    let client: any HTTPClient = configuration.httpClient
    configuration.httpClient = client
    configuration.hostRule = HTTPHostRule.only(["*.example.com"])
    let preparation: (any HTTPRequestPreparing)? = configuration.requestPreparation
    configuration.requestPreparation = preparation
    let timeouts: HTTPTimeouts = configuration.timeouts
    configuration.timeouts = timeouts
    configuration.codecs = CodecRegistry.standard
    let isolation: DecoderIsolation = .preferred
    configuration.isolation = isolation
    configuration.memoryCache = MemoryCacheConfiguration(costLimit: 64 << 20)
    configuration.limits.pixelCount = 1 << 20
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
  func decision(_ response: ImageResponse) -> HTTPDecision? { response.httpDecision }
  func place(_ disk: DiskCache, _ key: CacheKey) async -> Bool { await disk.contains(key) }
}
