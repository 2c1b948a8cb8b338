import Foundation
import OzuTesting
import Testing

@testable import Ozu

@Suite("A view as a set of values")
@MainActor
struct DisplayModelTests {
  private let script = ScriptedLoading()
  private let model: DisplayModel
  private let seen = Shared<[String]>([])
  private let states = Shared<[DisplayState]>([])

  init() {
    model = DisplayModel(pipeline: ImagePipeline { $0.caching.diskStorage = .none }, loader: script)
    model.onChange = { [seen, states] state, transition in
      states.change { $0.append(state) }
      let words = Self.words(state) + (transition == .none ? "" : " fade")
      seen.change { if $0.last != words { $0.append(words) } }
    }
    model.layout(DisplaySize(40, 30), scale: 1, mode: .aspectFit)
  }

  private static func words(_ state: DisplayState) -> String {
    func number(_ picture: Picture?) -> String {
      picture.map { String(Int($0.bitmap[0, 0].red) + Int($0.bitmap[0, 0].green) << 8) } ?? "nothing"
    }
    return switch state {
    case .empty: "empty"
    case .loading(let progress, let picture):
      "loading \(progress?.receivedByteCount ?? 0) \(number(picture))"
    case .preview(let picture): "preview \(number(picture))"
    case .success(let picture): "success \(number(picture))"
    case .failure(_, let picture): "failure \(number(picture))"
    }
  }

  private func request(_ name: String) -> ImageRequest { ImageRequest(url: Stage.url(name)) }

  private func remember(_ number: Int, _ name: String, _ size: PixelSize = PixelSize(40, 30)) {
    let asked = request(name).inFormat(AutomaticFormat().format(size, .aspectFit))
    script.memory[asked.key] = Stage.picture(number)
  }

  @Test("shows the placeholder, progress, a preview and the picture, one after the other")
  func order() {
    model.setImage(request("a"), options: DisplayOptions { $0.placeholder = .picture(Stage.picture(9)) })
    script.loads[0].progress(50)
    script.loads[0].preview(Stage.picture(1))
    script.loads[0].finish(Stage.picture(2))
    #expect(
      seen.value == ["loading 0 nothing", "loading 0 9", "loading 50 9", "preview 1", "success 2"])
    // The last alone is what stays, so that a toolkit can fade from the others to it.
    #expect(states.value.map(\.isFinal).firstIndex(of: true) == states.value.count { !$0.isFinal })
    #expect(states.value.last?.isFinal == true)
  }

  @Test("a picture in memory is shown within the call, and nothing else before")
  func memoryHit() {
    remember(1, "a")
    remember(2, "b")
    #expect(model.setImage(request("a")))
    #expect(model.setImage(request("b")))
    #expect(seen.value == ["success 1", "success 2"])
  }

  @Test("another picture removes the current one, even without a placeholder")
  func another() {
    remember(1, "a")
    model.setImage(request("a"))
    model.setImage(request("b"))
    #expect(Self.words(model.state) == "loading 0 nothing")
    script.loads[0].finish(Stage.picture(2))
    #expect(seen.value.last == "success 2")
  }

  @Test("a picture that comes later fades in")
  func fade() {
    model.setImage(request("a"))
    script.loads[0].finish(Stage.picture(1))
    #expect(seen.value.contains("success 1 fade"))
  }

  @Test("a failure is reported with the failure picture; the next picture starts again")
  func failure() {
    model.setImage(request("a"), options: DisplayOptions { $0.failurePicture = Stage.picture(8) })
    script.loads[0].fail(.noSuchFile("a"))
    #expect(Self.words(model.state) == "failure 8")
    #expect(model.state.error?.source == "a")
    model.setImage(request("b"))
    #expect(Self.words(model.state) == "loading 0 nothing")
    script.loads[1].fail(.noSuchFile("b"))
    #expect(Self.words(model.state) == "failure nothing")
  }

  @Test("a preview stays after a failure, as in every view")
  func failureAfterPreview() {
    model.setImage(request("a"))
    script.loads[0].preview(Stage.picture(1))
    script.loads[0].fail(.noSuchFile("a"))
    #expect(Self.words(model.state) == "failure 1")
    model.images.retry()
    #expect(Self.words(model.state) == "preview 1")
  }

  @Test("a load that begins again has no progress of the one that failed")
  func retry() {
    model.setImage(request("a"))
    script.loads[0].progress(50)
    script.loads[0].fail(.noSuchFile("a"))
    model.images.retry()
    #expect(Self.words(model.state) == "loading 0 nothing")
  }

  @Test("without a request the placeholder is drawn, where the app draws nothing itself")
  func placeholderOfNothing() {
    let placeholder = DisplayPlaceholder.picture(Stage.picture(9))
    let size = DisplaySize(40, 30)
    #expect(Self.words(model.state.drawn(with: placeholder, in: size)) == "loading 0 9")
    remember(1, "a")
    model.setImage(request("a"))
    #expect(Self.words(model.state.drawn(with: placeholder, in: size)) == "success 1")
  }

  @Test("no request shows nothing, at once")
  func nothing() {
    remember(1, "a")
    model.setImage(request("a"))
    model.setImage(nil)
    #expect(Self.words(model.state) == "empty")
    // No state in between has the phase of no request and the picture.
    #expect(states.value.map(Self.words) == ["success 1", "success 1", "empty", "empty"])
  }

  @Test("an area for the next picture begins no load of the current one, which may stay until then")
  func areaOfNext() {
    model.setImage(request("a"))
    script.loads[0].finish(Stage.picture(1))
    model.setArea(DisplaySize(400, 300), scale: 1, mode: .aspectFit, for: request("b"))
    model.setImage(request("b"), options: DisplayOptions { $0.placeholder = .unchanged })
    #expect(Self.words(model.state) == "loading 0 1")
    #expect(script.loads.map { $0.request.key.source } == [request("a"), request("b")].map(\.key.source))
    #expect(script.loads.map { $0.request.resize?.size } == [PixelSize(40, 30), PixelSize(400, 300)])
  }

  @Test("a larger area for the same picture keeps its load until the new one has joined the download")
  func areaOfSame() {
    model.setImage(request("a"))
    model.setArea(DisplaySize(400, 300), scale: 1, mode: .aspectFit, for: request("a"))
    model.setImage(request("a"))
    #expect(script.live.map { $0.request.resize?.size } == [PixelSize(40, 30), PixelSize(400, 300)])
    script.loads[1].finish(Stage.picture(1))
    #expect(script.loads[0].isStopped && Self.words(model.state) == "success 1")
  }

  @Test("nothing is loaded before there is a size, and a larger size loads again")
  func layout() {
    model.layout(nil, scale: 1, mode: .aspectFit)
    model.setImage(request("a"))
    #expect(script.loads.isEmpty)
    #expect(Self.words(model.state) == "loading 0 nothing")
    model.layout(DisplaySize(40, 30), scale: 2, mode: .aspectFit)
    #expect(script.loads.map { $0.request.resize?.size } == [PixelSize(80, 60)])
  }

  @Test(
    "frames of an animation have the scale and the header of their picture, also when a reload fails meanwhile"
  )
  func frames() async throws {
    let still = try CodecRegistry.standard.picture(from: BindingPipelineTests.movingGIF)
    let animation: PictureAnimation = try #require(still.animation)
    let picture = Picture(still.bitmap, scale: 2, header: still.header, animation: animation)
    model.setImage(request("a"))
    script.loads[0].finish(picture)
    #expect(model.isClockRunning)
    let green = Pixel(red: 0, green: 255, blue: 0)
    var time = Duration.zero
    for _ in 0..<100_000 where model.state.picture?.bitmap[0, 0] != green {
      model.images.advance(to: time)
      time += .milliseconds(100)
      await Task.yield()
    }
    let frame = try #require(model.state.picture)
    #expect(frame.bitmap[0, 0] == green && frame.scale == 2 && frame.header?.type == .gif)
    guard case .success = model.state else {
      Issue.record("\(model.state)")
      return
    }
    let content = DisplayContent.frame(frame)
    #expect(
      DisplayState(content, .failed(.noSuchFile("a")), progress: nil).picture?.bitmap[0, 0] == green)
  }

  @Test("a state can be made before a load has begun")
  func beforehand() {
    let state = DisplayState(placeholder: .picture(Stage.picture(3)), in: nil)
    #expect(Self.words(state) == "loading 0 3")
    for none in [DisplayPlaceholder.nothing, .unchanged] {
      #expect(Self.words(DisplayState(placeholder: none, in: nil)) == "loading 0 nothing")
    }
  }
}
