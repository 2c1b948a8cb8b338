import Foundation
import OzuTesting
import Testing

@testable import Ozu

@Suite("Lengths and pixels of a view")
@MainActor
struct DisplayLengthsTests {
  private struct PresentingView: ImagePresenting {
    let images: ImageBinding
  }

  @Test("the lengths of processors are points of the view", arguments: [1.0, 2, 3])
  func points(scale: Double) {
    let stage = Stage(scale: scale)
    let line = RoundedCorners.Border(width: 1, color: .clear)
    let processors: [any ImageProcessing] = [
      RoundedCorners(.rectangle(radius: 8), border: line), GaussianBlur(radius: 2), .grayscale,
      Composition([.grayscale, .roundedCorners(radius: 3)]),
    ]
    PresentingView(images: stage.binding).setImage(from: Stage.url("a"), processors: processors)
    let wide = RoundedCorners.Border(width: scale, color: .clear)
    let wanted: [any ImageProcessing] = [
      RoundedCorners(.rectangle(radius: 8 * scale), border: wide), GaussianBlur(radius: 2 * scale),
      .grayscale, Composition([.grayscale, .roundedCorners(radius: 3 * scale)]),
    ]
    #expect(stage.script.loads[0].request.processors.map(\.identifier) == wanted.map(\.identifier))
  }

  @Test("pictures are loaded ahead as the view will ask for them")
  func prefetching() async throws {
    let pipeline = ImagePipeline.testing()
    let view = FakeImageView(DisplaySize(20, 15), scale: 2, mode: .aspectFill)
    let images = ImageBinding(view, pipeline: pipeline)
    let file = FileManager.default.temporaryDirectory.appending(
      path: "ozu-ahead-\(UInt64.random(in: 0 ... .max)).jpg")
    defer { try? FileManager.default.removeItem(at: file) }
    try Fixture.photo.data(as: .jpeg).write(to: file)
    let prefetcher = ImagePrefetcher(pipeline: pipeline)
    let corners: [any ImageProcessing] = [.roundedCorners(radius: 3)]
    for await outcome in prefetcher.start([file], in: PresentingView(images: images), processors: corners) {
      guard case .done = outcome.ending else {
        Issue.record("\(outcome.ending)")
        return
      }
    }
    #expect(PresentingView(images: images).setImage(from: file, processors: corners))
    // Requests keep what is their own.
    let keyed = ImageRequest(url: file, cacheKey: "avatar")
    for await _ in prefetcher.start([keyed], in: PresentingView(images: images)) {}
    #expect(images.setImage(keyed))
  }

  @Test("what is loaded ahead for the next place too goes on, and the rest is stopped")
  func replacing() async throws {
    let fixture = Fixture()
    let gate = Gate()
    let requests = try (0..<4).map { index in
      ImageRequest(url: try fixture.serve("\(index).jpg") { $0.held(by: gate) })
    }
    let view = FakeImageView(DisplaySize(20, 15), pipeline: fixture.pipeline)
    let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline, concurrentRequests: 1)
    let first = prefetcher.replace(
      with: [requests[1], requests[0], requests[2]], in: PresentingView(images: view.images))
    await gate.arrivals(1)
    let second = prefetcher.replace(with: Array(requests[1...]), in: PresentingView(images: view.images))
    gate.open()
    var stopped: [String] = []
    for await outcome in first {
      if case .stopped = outcome.ending { stopped.append(outcome.request.source.name) }
    }
    for await _ in second {}
    #expect(stopped == [requests[0].source.name])
    #expect(fixture.client.requests.map(\.url.lastPathComponent) == ["1.jpg", "2.jpg", "3.jpg"])
  }
}
