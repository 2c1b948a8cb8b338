import Foundation
import OzuHTTP
import OzuTesting
import Testing

@testable import Ozu

/// Removals that reach all levels.
extension FurtherLevelTests {
  private static let removals: [@Sendable (ImagePipeline, ImageRequest) async -> Void] = [
    { await $0.removeImage(for: $1) },
    { pipeline, request in await pipeline.removeImage(for: Fixture.url("a.jpg")) },
    { pipeline, request in await pipeline.removeAllImages() },
    { pipeline, request in pipeline.cache.remove(request) },
  ]

  @Test("a removal reaches all levels, and takes effect before a slow level has done it", arguments: 0..<4)
  func removal(number: Int) async throws {
    try await fill([near, far])
    let pipeline = pipeline([near, far])
    _ = try await pipeline.image(for: request)
    await pipeline.flush()
    #expect(client.requests.count == 1)

    let hold = Hold()
    far.respond = { call in
      if [.remove, .removeAll].contains(call.operation) { hold.wait() }
    }
    await Self.removals[number](pipeline, request)
    try await eventually(hold.count == 1)
    #expect(far.count(of: .original) == 1)
    #expect(try await pipeline.response(for: request).source == .network)
    hold.release()
    await pipeline.flush()
    #expect(client.requests.count == 2)

    await Self.removals[number](pipeline, request)
    await pipeline.flush()
    for store in [near, far] { #expect(store.keys == []) }
    #expect(pipeline.diskCache?.count == 0)
  }

  @Test("sizes that this process does not know are removed by the listing of a level")
  func unknownSizes() async throws {
    try await fill([far])
    try await fill([far], ImageRequest(url: url, resize: Resize(PixelSize(20, 20))))
    #expect(far.count(of: .rendition) == 2)
    let other = Fixture.url("a.jpg2")
    client.reply(to: other, with: .ok(try Fixture.photo.data(as: .jpeg)))
    try await fill([far], ImageRequest(url: other, resize: Fixture.small))
    let pipeline = pipeline([far])
    await pipeline.removeImage(for: url)
    await pipeline.flush()
    #expect(far.count(of: .rendition) == 1)
    #expect(far.count(of: .original) == 1)
  }
}
