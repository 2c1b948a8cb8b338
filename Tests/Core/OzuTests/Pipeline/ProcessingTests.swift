import Foundation
import OzuTesting
import Testing

@testable import Ozu

@Suite("Processors in a request")
struct ProcessingTests {
  @Test("steps run after the resize, are cached under their own key, and are read back from disk")
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

  @Test("the order and the parameters of steps are part of the key")
  func keys() {
    let url = Fixture.url("a.jpg")
    let lists: [[any ImageProcessing]] = [
      [], [.grayscale], [.grayscale, .turn(.left)], [.turn(.left), .grayscale], [.gaussianBlur(radius: 1)],
      [.gaussianBlur(radius: 2)], [Composition([.grayscale, .turn(.left)])],
    ]
    #expect(Set(lists.map { ImageRequest(url: url, processors: $0).key }).count == lists.count)
  }

  @Test("a failing step fails the request, and nothing is stored")
  func failure() async throws {
    let fixture = Fixture()
    let url = try fixture.serve("a.jpg")
    let request = ImageRequest(
      url: url, processors: [.crop(.rectangle(PixelRectangle(x: 999, y: 0, width: 9, height: 9)))])
    await #expect { try await fixture.pipeline.image(for: request) } throws: { error in
      guard let failure = error as? ImageError, failure.kind == .processingFailed else { return false }
      return failure.source == url.absoluteString && "\(error)".contains("crop(999,0,9x9)")
    }
    #expect(await fixture.cachedCounts() == (0, 0))
  }
}
