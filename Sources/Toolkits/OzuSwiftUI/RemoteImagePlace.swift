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

  /// The ratio of width to height of a source's picture.
  struct PictureRatio: Equatable {
    let source: CacheKey
    let value: Double

    /// `nil` without a size.
    init?(_ size: PixelSize?, of source: CacheKey) {
      guard let size, !size.isEmpty else { return nil }
      self.source = source
      value = Double(size.width) / Double(size.height)
    }
  }

  extension RemoteImageSettings {
    /// The image that is shown as it is until the picture is loaded.
    @MainActor
    var waitingImage: Image? {
      if let placeholderImage { return placeholderImage }
      guard let own = options.placeholder.ownImage else { return nil }
      return Self.image(own)
    }

    /// The image that is shown as it is when the load has failed.
    @MainActor
    var failedImage: Image? {
      if let failureImage { return failureImage }
      guard case .toolkitImage(let own) = options.failureContent else { return nil }
      return Self.image(own)
    }

    @MainActor
    private static func image(_ own: ToolkitImage) -> Image? {
      #if canImport(UIKit)
        return own.uiImage.map { Image(uiImage: $0) }
      #else
        return own.nsImage.map { Image(nsImage: $0) }
      #endif
    }
  }

  /// A remote image whose size is known: it requests the picture and shows its states.
  struct RemoteImagePlace<Content: View>: View {
    let settings: RemoteImageSettings
    let size: DisplaySize
    let scale: Double
    let pipeline: ImagePipeline
    let content: (DisplayState) -> Content
    let onRatio: (PictureRatio) -> Void
    @State private var model = RemoteImageModel()
    @Environment(\.accessibilityPlayAnimatedImages) private var playsAnimations
    @Environment(\.accessibilityReduceMotion) private var reducesMotion

    /// A change of these values loads another picture.
    private struct Inputs: Equatable {
      let key: ImageKey?
      let format: String?
      let pipeline: ObjectIdentifier
    }

    /// A change of these values resizes the same picture.
    private struct Layout: Equatable {
      let size: DisplaySize
      let scale: Double
      let mode: ScaleMode
    }

    private var inputs: Inputs {
      Inputs(
        key: settings.completeRequest?.key, format: settings.format?.name,
        pipeline: ObjectIdentifier(pipeline))
    }

    private var layout: Layout { Layout(size: size, scale: scale, mode: settings.mode) }

    var body: some View {
      // Once: it may be looked up in memory.
      let state = state
      return content(state)
        .background {
          if let rate = model.frameRate, playsAnimations, !reducesMotion {
            TimelineView(.animation(minimumInterval: rate.interval)) { context in
              Color.clear.onChange(of: context.date) { _, date in model.advance(to: date) }
            }
          }
        }
        .onChange(of: layout) { model.layout(size, scale: scale, mode: settings.mode) }
        .onChange(of: inputs) { load() }
        .onAppear {
          model.layout(size, scale: scale, mode: settings.mode)
          if !model.hasState(of: settings.completeRequest?.key) { load() }
          model.appear()
        }
        .onDisappear { model.disappear(isInMemory: cached != nil) }
        .onChange(of: ratio(of: state), initial: true) { _, ratio in
          if let ratio { onRatio(ratio) }
        }
    }

    /// The state to show: that of the model, if it belongs to the current picture. Otherwise it is made from the memory cache, so
    /// that the first frame shows a cached picture, and does not lose the one that the source has already.
    private var state: DisplayState {
      if model.hasState(of: settings.completeRequest?.key) { return model.state }
      guard let request = settings.completeRequest else { return .empty }
      if let cached { return .success(cached) }
      return model.hasPicture(ofSourceOf: request.key)
        ? model.state : DisplayState(placeholder: settings.options.placeholder, in: size)
    }

    /// The ratio of the picture, which is known before its pixels; until then that of its placeholder.
    private func ratio(of state: DisplayState) -> PictureRatio? {
      guard let key = settings.completeRequest?.key else { return nil }
      let expected = model.hasState(of: key) ? model.expectedSize : nil
      return PictureRatio(expected ?? state.picture?.size, of: key.source)
    }

    private var cached: Picture? {
      guard let request = settings.completeRequest else { return nil }
      return pipeline.cachedImage(
        for: request, in: size, scale: scale, mode: settings.mode, cacheFormat: settings.format,
        automaticFormat: settings.options.automaticFormat)
    }

    private func load() {
      model.layout(size, scale: scale, mode: settings.mode)
      model.load(settings, through: pipeline)
    }
  }

  /// The state of a remote image between its updates: a `DisplayModel`, made observable.
  @MainActor
  @Observable
  final class RemoteImageModel {
    private(set) var state = DisplayState.empty
    /// How often the view must call `advance(to:)`; `nil` if nothing moves.
    private(set) var frameRate: FrameRate?
    /// The size of the picture in pixels, which is known before its pixels.
    private(set) var expectedSize: PixelSize?

    @ObservationIgnored private var model: DisplayModel?
    @ObservationIgnored private var place: (size: DisplaySize, scale: Double, mode: ScaleMode)?
    private var key: ImageKey?
    private var hasRequested = false

    func hasState(of key: ImageKey?) -> Bool { hasRequested && key == self.key }

    /// Whether the state has a picture of the source of this key, perhaps made in another way. It stays until the new one
    /// has been loaded.
    func hasPicture(ofSourceOf key: ImageKey) -> Bool {
      hasRequested && key.source == self.key?.source && state.picture != nil && state.error == nil
    }

    /// Sets the size, scale and mode in which the picture is shown.
    func layout(_ size: DisplaySize, scale: Double, mode: ScaleMode) {
      place = (size, scale, mode)
      model?.layout(size, scale: scale, mode: mode)
    }

    func load(_ settings: RemoteImageSettings, through pipeline: ImagePipeline) {
      let request = settings.completeRequest
      model(pipeline).setImage(
        request, options: settings.options, cacheFormat: settings.format,
        handlers: DisplayHandlers(completion: settings.onCompletion))
      key = request?.key
      hasRequested = true
    }

    /// Called when the view is on screen again.
    func appear() { model?.images.viewDidAppear() }

    /// Called when the view is no longer on screen. Lazy stacks keep the state of all views that went by, so a picture that
    /// memory has is given back; the first frame of the view's return finds it there.
    func disappear(isInMemory: Bool) {
      model?.images.viewDidDisappear()
      guard isInMemory, case .success = state else { return }
      (model, state, key, hasRequested, frameRate, expectedSize) = (nil, .empty, nil, false, nil, nil)
    }

    /// Called before a frame is drawn.
    func advance(to date: Date) {
      model?.images.advance(to: .seconds(date.timeIntervalSinceReferenceDate))
    }

    private func model(_ pipeline: ImagePipeline) -> DisplayModel {
      if let model, model.images.pipeline === pipeline { return model }
      ApplicationObserver.follow(pipeline)
      let model = DisplayModel(pipeline: pipeline)
      model.onChange = { [weak self] state, transition in self?.take(state, transition) }
      if let place { model.layout(place.size, scale: place.scale, mode: place.mode) }
      self.model = model
      return model
    }

    private func take(_ state: DisplayState, _ transition: DisplayTransition) {
      frameRate = model.flatMap { $0.isClockRunning ? $0.images.frameRate : nil }
      // An animation calls this for each frame.
      if expectedSize != model?.expectedSize { expectedSize = model?.expectedSize }
      guard case .fade(let duration) = transition else {
        self.state = state
        return
      }
      withAnimation(.easeInOut(duration: duration / .seconds(1))) { self.state = state }
    }
  }
#endif
