import Foundation
import OzuTesting
import Testing

@testable import Ozu

@Suite("Removing a picture by its URL, its request or its key")
struct RemovalTests {
  enum Call: CaseIterable {
    case url, request, sizedRequest, key

    func remove(_ url: URL, from pipeline: ImagePipeline) async {
      switch self {
      case .url: await pipeline.removeImage(for: url)
      case .request: await pipeline.removeImage(for: ImageRequest(url: url))
      case .sizedRequest: await pipeline.removeImage(for: ImageRequest(url: url, resize: Fixture.small))
      case .key: await pipeline.removeImage(forKey: url.absoluteString)
      }
    }
  }

  @Test(
    "every call removes every size and format and the original, in memory and on disk, and nothing else",
    arguments: Call.allCases, [false, true])
  func same(_ call: Call, hasKeyRule: Bool) async throws {
    let fixture = FormatFixture {
      if hasKeyRule {
        $0.caching.cacheKeyRules = [CacheKeyRule(host: "example.com", droppingQueryItems: ["token"])]
      }
    }
    let (url, other) = (try fixture.serve("a.jpg?token=1"), try fixture.serve("b.jpg"))
    let format = FormatFixture.format()
    let requests = [
      ImageRequest(url: url), ImageRequest(url: url, resize: Fixture.small),
      ImageRequest(url: url, format: format),
    ]
    for request in requests { _ = try await fixture.pipeline.image(for: request) }
    _ = try await fixture.pipeline.image(for: other)
    await fixture.pipeline.flush()
    await call.remove(url, from: fixture.pipeline)
    for request in requests { #expect(!(await Self.isCached(request, in: fixture.pipeline))) }
    #expect(await Self.isCached(ImageRequest(url: other), in: fixture.pipeline))
    #expect(format.diskByteCount == 0)
  }

  private static func isCached(_ request: ImageRequest, in pipeline: ImagePipeline) async -> Bool {
    await Task.detached { pipeline.cache.contains(request) }.value
  }
}
