import Foundation
import Ozu
import OzuBase

/// A view without a toolkit: it records everything that it has to show, in order.
///
/// ```swift
/// let view = FakeImageView(DisplaySize(width: 160, height: 120), pipeline: pipeline)
/// view.images.setImage(from: url)
/// await view.settled()
/// #expect(view.shownPicture?.size == PixelSize(width: 160, height: 120))
/// ```
@MainActor
public final class FakeImageView: ImageDisplaying {
  /// One content that the view had to show.
  public struct Step: Sendable {
    /// The content.
    public let content: DisplayContent
    /// The transition to it.
    public let transition: DisplayTransition
  }

  /// The size in points; `nil` before the layout.
  public var displaySize: DisplaySize?
  /// The pixels per point.
  public var displayScale: Double
  /// The content mode.
  public var displayMode: ScaleMode
  /// The binding of the view; set a picture with it.
  public private(set) lazy var images = ImageBinding(self, pipeline: pipeline)
  /// The contents that the view had to show, the first one first.
  public private(set) var steps: [Step] = []
  /// The sizes that the view had to reserve, each with the number of steps before it.
  public private(set) var reservations: [(size: PixelSize, stepCount: Int)] = []
  /// Whether the binding needs a frame clock.
  public private(set) var isFrameClockRunning = false
  /// Called with every step, after it is noted.
  public var onShow: (@MainActor (Step) -> Void)?

  private let pipeline: ImagePipeline
  private var waiters: [(condition: @MainActor () -> Bool, continuation: CheckedContinuation<Void, Never>)] =
    []

  /// Makes a view; one without a size waits for `layOut(_:scale:)`.
  public init(
    _ size: DisplaySize? = nil, scale: Double = 1, mode: ScaleMode = .aspectFit,
    pipeline: ImagePipeline = .shared
  ) {
    displaySize = size
    displayScale = scale
    displayMode = mode
    self.pipeline = pipeline
  }

  /// The first argument has no label.
  @available(
    *, unavailable, message: "the size has no label: FakeImageView(DisplaySize(width: …, height: …))"
  )
  public convenience init(size: DisplaySize) { self.init(size) }

  /// The binding of a view sets its picture: `images.setImage(from:)`.
  @available(*, unavailable, renamed: "images.setImage(from:)")
  public func setImage(from url: URL?) { images.setImage(from: url) }

  /// The content that is shown now; nothing at first.
  public var shown: DisplayContent { steps.last?.content ?? .nothing }

  /// The picture that is shown, if it is the one that was asked for.
  public var shownPicture: Picture? {
    if case .picture(let picture) = shown { picture } else { nil }
  }

  /// Records a content.
  public func show(_ content: DisplayContent, transition: DisplayTransition) {
    steps.append(Step(content: content, transition: transition))
    onShow?(Step(content: content, transition: transition))
    wake()
  }

  /// Records the size to reserve for the picture.
  public func reserve(_ size: PixelSize) {
    reservations.append((size, steps.count))
    wake()
  }

  /// Returns when the view has recorded this number of sizes.
  public func reservations(_ count: Int) async {
    await waiting { [weak self] in self.map { $0.reservations.count >= count } ?? true }
  }

  /// Records whether a frame clock is needed.
  public func setFrameClock(isRunning: Bool) {
    isFrameClockRunning = isRunning
  }

  /// Gives the view a size, and tells the binding.
  public func layOut(_ size: DisplaySize?, scale: Double? = nil) {
    displaySize = size
    if let scale { displayScale = scale }
    images.layoutDidChange()
  }

  /// Returns when the view has recorded this number of contents.
  public func steps(_ count: Int) async {
    await waiting { [weak self] in self.map { $0.steps.count >= count } ?? true }
  }

  /// Returns when the picture or its failure is shown, or nothing is to be shown. A larger or newer picture may still be loading.
  public func settled() async {
    await waiting { [weak self] in
      switch self?.images.phase {
      case .loading, .waitingForLayout: false
      case .empty, .shown, .failed, .cancelled, nil: true
      }
    }
  }

  /// Lets `settled()` look at the phase.
  public func stateDidChange() { wake() }

  private func waiting(_ condition: @escaping @MainActor () -> Bool) async {
    if condition() { return }
    await withCheckedContinuation { waiters.append((condition, $0)) }
  }

  private func wake() {
    let ready = waiters.filter { $0.condition() }
    waiters.removeAll { $0.condition() }
    for waiter in ready { waiter.continuation.resume() }
  }
}
