import Foundation
import OzuTesting
import Testing

@testable import Ozu

@Suite("Processors in a request")
struct ProcessingTests {
  @Test("steps run after the resize, are cached under their own key, and come back from disk")
  func steps() async throws {
    let fixture = Fixture()
    let url = try fixture.serve("a.jpg")
    let steps: [any ImageProcessing] = [.roundedCorners(radius: 6), .grayscale]
    let request = ImageRequest(url: url, resize: Fixture.small, processors: steps)
    let response = try await fixture.pipeline.response(for: request)
    #expect(response.picture.size == PixelSize(32, 24))
    #expect(response.picture.bitmap[0, 0].alpha == 0)
    let middle = response.picture.bitmap[16, 12]
    #expect(middle.red == middle.green && middle.green == middle.blue && middle.alpha == 255)
    #expect(response.timings.entries.map(\.stage) == [.network, .wait, .decode, .resize, .process, .total])
    #expect(fixture.pipeline.cachedImage(for: ImageRequest(url: url, resize: Fixture.small)) == nil)
    await fixture.pipeline.flush()
    let fromDisk = try await fixture.freshPipeline().response(for: request)
    #expect(fromDisk.source == .rendition)
    #expect(fromDisk.picture.bitmap == response.picture.bitmap)
  }

  @Test("order and parameters of steps make the key")
  func keys() {
    let url = Fixture.url("a.jpg")
    let lists: [[any ImageProcessing]] = [
      [], [.grayscale], [.grayscale, .turn(.left)], [.turn(.left), .grayscale], [.gaussianBlur(radius: 1)],
      [.gaussianBlur(radius: 2)], [Composition([.grayscale, .turn(.left)])],
    ]
    #expect(Set(lists.map { ImageRequest(url: url, processors: $0).key }).count == lists.count)
  }

  @Test("a step that fails fails the request, and nothing of it is kept but the original's absence")
  func failure() async throws {
    let fixture = Fixture()
    let url = try fixture.serve("a.jpg")
    let request = ImageRequest(
      url: url, processors: [.crop(.rectangle(PixelRectangle(x: 999, y: 0, width: 9, height: 9)))])
    await #expect { try await fixture.pipeline.image(for: request) } throws: { error in
      guard case ImageError.processingFailed(let source, _)? = error as? ImageError else { return false }
      return source == url.absoluteString && "\(error)".contains("crop(999,0,9x9)")
    }
    #expect(await fixture.cachedCounts() == (0, 0))
  }
}

@Suite("Callbacks and direct cache access")
struct CallbackTests {
  @Test("completion comes once, on its queue, after the call has returned and after the progress")
  func completion() async throws {
    let fixture = Fixture()
    let url = try fixture.serve("a.jpg")
    let queue = DispatchQueue(label: "test")
    let events = Shared<[String]>([])
    await withCheckedContinuation { continuation in
      fixture.pipeline.loadImage(
        with: ImageRequest(url: url), queue: queue,
        progress: { _ in events.change { if $0.last != "progress" { $0.append("progress") } } },
        completion: { result in
          dispatchPrecondition(condition: .onQueue(queue))
          events.change { $0.append((try? result.get().picture.size.description) ?? "failure") }
          continuation.resume()
        })
      events.change { $0.insert("returned", at: 0) }
    }
    #expect(events.value == ["returned", "progress", "320x240"])
  }

  @Test("a failure and the bytes come the same way; what memory has does, too")
  func others() async throws {
    let fixture = Fixture()
    let url = try fixture.serve("a.jpg")
    let queue = DispatchQueue(label: "test")
    let data: Data = try await withCheckedThrowingContinuation { continuation in
      fixture.pipeline.loadData(with: ImageRequest(url: url), queue: queue) { continuation.resume(with: $0) }
    }
    #expect(data == (try Fixture.photo.data(as: .jpeg)))
    let failure = await withCheckedContinuation { continuation in
      fixture.pipeline.loadImage(with: Fixture.url("none"), queue: queue) {
        continuation.resume(returning: $0)
      }
    }
    #expect(throws: ImageError.self) { try failure.get() }
  }

  @Test("the cache accessor stores, finds, decodes from disk and removes, layer by layer")
  func cache() throws {
    let pipeline = ImagePipeline.testing()
    let request = ImageRequest(url: Fixture.url("a.jpg"), resize: Fixture.small)
    let picture = Picture(PatternPicture(PixelSize(32, 24), tint: 4, isOpaque: false).bitmap)
    #expect(!pipeline.cache.contains(request))
    pipeline.cache[request] = picture
    #expect(pipeline.cache[request]?.bitmap == picture.bitmap)
    #expect(!pipeline.cache.contains(request, layers: .disk))
    try pipeline.cache.store(picture, for: request)
    pipeline.cache[request] = nil
    #expect(pipeline.cache.image(for: request, layers: .memory) == nil)
    #expect(pipeline.cache.image(for: request)?.bitmap == picture.bitmap)
    pipeline.cache.remove(request)
    #expect(!pipeline.cache.contains(request))
    #expect(pipeline.cache.image(for: request) == nil)
  }
}
