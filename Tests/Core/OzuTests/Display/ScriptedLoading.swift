import Foundation
import OzuBase
import OzuCaching
import OzuTesting

@testable import Ozu

/// A loader for bindings whose events the test controls.
@MainActor
final class ScriptedLoading: DisplayLoading {
  /// One load.
  @MainActor
  final class Load {
    let request: ImageRequest
    private let receive: @MainActor (ImageTask.Event) -> Void
    private let stopped: Shared<Bool>

    init(
      _ request: ImageRequest, stopped: Shared<Bool>, receive: @escaping @MainActor (ImageTask.Event) -> Void
    ) {
      self.request = request
      self.stopped = stopped
      self.receive = receive
    }

    /// The priorities that it was given later.
    let priorities = Shared<[ImagePriority]>([])

    var isStopped: Bool { stopped.value }

    func progress(_ count: Int) {
      receive(.progress(LoadProgress(receivedByteCount: count, expectedByteCount: 100)))
    }

    func preview(_ picture: Picture) {
      receive(.preview(ScriptedLoading.response(picture, request, .network)))
    }

    func finish(_ picture: Picture) {
      receive(.finished(.success(ScriptedLoading.response(picture, request, .network))))
    }

    func fail(_ error: ImageError) { receive(.finished(.failure(error))) }
  }

  /// The pictures in memory.
  var memory: [ImageKey: Picture] = [:]
  /// The stale ones among them.
  var stale: Set<ImageKey> = []
  /// Signals that memory runs short.
  var pressure: ManualMemoryPressure?
  var memoryPressure: (any MemoryPressureMonitoring)? { pressure }
  /// All loads, in the order of their start.
  private(set) var loads: [Load] = []

  var live: [Load] { loads.filter { !$0.isStopped } }

  /// Whether the bytes of sources stay.
  var keepsOriginals = true

  func keepsOriginal(of request: ImageRequest) -> Bool { keepsOriginals }

  func forgetFailures(of request: ImageRequest) {}

  func otherSize(of request: ImageRequest) -> Picture? {
    memory.first { $0.key.source == request.key.source }?.value
  }

  func cached(_ request: ImageRequest) -> (response: ImageResponse, isFresh: Bool)? {
    guard request.cachePolicy.readsCaches, let picture = memory[request.key] else { return nil }
    let isFresh = !stale.contains(request.key)
    return (Self.response(picture, request, isFresh ? .memory : .stale), isFresh)
  }

  func load(
    _ request: ImageRequest, _ receive: @escaping @MainActor (ImageTask.Event) -> Void
  ) -> DisplayLoad {
    let stopped = Shared(false)
    loads.append(Load(request, stopped: stopped, receive: receive))
    let priorities = loads[loads.count - 1].priorities
    return DisplayLoad {
      priority in
      priorities.change { $0.append(priority) }
    } stop: {
      stopped.change { $0 = true }
    }
  }

  nonisolated static func response(
    _ picture: Picture, _ request: ImageRequest, _ source: ImageResponse.Source
  ) -> ImageResponse {
    ImageResponse(
      picture: picture, request: request, source: source, isCoalesced: false, encodedByteCount: 0,
      timings: StageTimings(), verdict: .none)
  }
}

/// A view, its binding, and the script.
@MainActor
struct Stage {
  let script = ScriptedLoading()
  let view: FakeImageView
  let binding: ImageBinding

  init(_ size: DisplaySize? = DisplaySize(40, 30), scale: Double = 1, mode: ScaleMode = .aspectFit) {
    view = FakeImageView(size, scale: scale, mode: mode)
    binding = ImageBinding(view, pipeline: ImagePipeline { $0.caching.diskStorage = .none }, loader: script)
  }

  static func url(_ name: String) -> URL { URL(string: "https://example.com/\(name)")! }

  /// A picture that is identified by a number.
  static func picture(_ number: Int) -> Picture {
    Picture(
      Bitmap(size: PixelSize(1, 1), isOpaque: true) { _, _ in
        Pixel(red: UInt8(number & 255), green: UInt8(number >> 8 & 255), blue: 0)
      })
  }

  /// The request of a view with this size and mode for a URL.
  func asked(_ name: String, _ size: PixelSize = PixelSize(40, 30), _ mode: ScaleMode = .aspectFit)
    -> ImageRequest
  {
    ImageRequest(url: Self.url(name)).inFormat(AutomaticFormat().format(size, mode))
  }

  /// The calls of the view as texts: `placeholder 1`, `picture 2 fade`.
  var told: [String] { view.steps.map(Self.words) }

  static func words(_ step: FakeImageView.Step) -> String {
    let fade = if case .fade = step.transition { " fade" } else { "" }
    func number(_ bitmap: Bitmap) -> Int { Int(bitmap[0, 0].red) + Int(bitmap[0, 0].green) << 8 }
    switch step.content {
    case .nothing: return "nothing" + fade
    case .placeholder(let picture): return "placeholder \(number(picture.bitmap))" + fade
    case .preview(let picture): return "preview \(number(picture.bitmap))" + fade
    case .picture(let picture): return "picture \(number(picture.bitmap))" + fade
    case .frame(let picture): return "frame \(number(picture.bitmap))" + fade
    case .failure(let picture): return "failure \(number(picture.bitmap))" + fade
    case .toolkitImage(let own): return "image \(own.image)" + fade
    }
  }
}
