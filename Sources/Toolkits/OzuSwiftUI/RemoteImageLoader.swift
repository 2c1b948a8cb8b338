#if canImport(SwiftUI)
  import Foundation
  import Observation
  import Ozu
  import SwiftUI

  #if canImport(UIKit)
    import OzuUIKit
  #else
    import OzuAppKit
  #endif

  /// Loads pictures for a view of the app's own, and publishes the state of the load, as `FetchImage` of Nuke does.
  /// `RemoteImage` is the view that does this by itself.
  ///
  /// ```swift
  /// struct Avatar: View {
  ///   let url: URL
  ///   @State private var loader = RemoteImageLoader()
  ///
  ///   var body: some View {
  ///     ZStack { loader.image?.resizable() }
  ///       .onAppear { load() }
  ///       .onChange(of: url) { load() }
  ///       .onDisappear { loader.cancel() }
  ///   }
  ///
  ///   private func load() { loader.load(url, in: DisplaySize(width: 48, height: 48), scale: 2) }
  /// }
  /// ```
  ///
  /// It has the guarantees of `ImageBinding`: another picture cancels the load of the former, whose picture it removes, and a
  /// picture in memory is there when `load` returns. An animation stands still at its first frame.
  @MainActor
  @Observable
  public final class RemoteImageLoader {
    /// What there is to show.
    public private(set) var state = DisplayState.empty
    /// Whether the picture is loading. False after `cancel()`.
    public private(set) var isLoading = false
    /// The size of the picture in pixels, as soon as it is known.
    public private(set) var expectedSize: PixelSize?

    @ObservationIgnored private let model: DisplayModel

    /// Makes a loader that has nothing to load.
    public init(pipeline: ImagePipeline = .shared) {
      model = DisplayModel(pipeline: pipeline)
      ApplicationObserver.follow(pipeline)
      model.onChange = { [weak self] state, transition in self?.take(state, transition) }
    }

    /// The picture to draw: the picture itself, a preview or the placeholder; `nil` without one.
    public var image: Image? { state.image }

    /// The part that has arrived, 0 to 1; `nil` when it is not known or nothing is loading.
    public var progress: Double? { state.progress }

    /// The reason why the picture could not be loaded.
    public var error: ImageError? { state.error }

    /// Loads the picture of a request in place of the former one; `nil` empties the loader.
    ///
    /// - Parameters:
    ///   - size: the size in points in which the picture is shown; `nil` loads it in its own size. A request with a resize or
    ///     a format keeps those.
    ///   - scale: the pixels per point, as `displayScale` of the environment says.
    ///   - mode: how the picture is resized to the size.
    ///   - options: the placeholder, the picture of a failed load and the transition.
    ///   - completion: called when the picture is loaded or the load has failed.
    /// - Returns: whether the picture was in memory and is there now.
    @discardableResult
    public func load(
      _ request: ImageRequest?, in size: DisplaySize? = nil, scale: Double = 1, mode: ScaleMode = .aspectFill,
      options: DisplayOptions = DisplayOptions(),
      completion: ((Result<ImageResponse, ImageError>) -> Void)? = nil
    ) -> Bool {
      var options = options
      // Nothing calls for its frames.
      options.playsAnimations = false
      model.setArea(size, scale: scale, mode: size == nil ? .none : mode, for: request)
      return model.setImage(request, options: options, handlers: DisplayHandlers(completion: completion))
    }

    /// The same for a URL.
    @discardableResult
    public func load(
      _ url: URL?, in size: DisplaySize? = nil, scale: Double = 1, mode: ScaleMode = .aspectFill,
      options: DisplayOptions = DisplayOptions(),
      completion: ((Result<ImageResponse, ImageError>) -> Void)? = nil
    ) -> Bool {
      load(
        url.map { ImageRequest(url: $0, priority: options.priority) }, in: size, scale: scale, mode: mode,
        options: options, completion: completion)
    }

    /// Cancels the load. What has arrived stays; `retry()` begins again.
    public func cancel() { model.images.cancel() }

    /// Begins again after a failure or `cancel()`.
    public func retry() { model.images.retry() }

    private func take(_ state: DisplayState, _ transition: DisplayTransition) {
      isLoading = if case .loading = model.images.phase { true } else { false }
      expectedSize = model.expectedSize
      guard case .fade(let duration) = transition else {
        self.state = state
        return
      }
      withAnimation(.easeInOut(duration: duration / .seconds(1))) { self.state = state }
    }
  }
#endif
