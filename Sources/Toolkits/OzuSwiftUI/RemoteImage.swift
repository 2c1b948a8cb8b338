#if canImport(SwiftUI)
  import Foundation
  import Ozu
  import SwiftUI

  /// A view that loads a picture from any source, in the size that the layout gives it.
  ///
  /// ```swift
  /// RemoteImage(url: url)
  ///   .placeholder(.thumbHash(hash))
  ///   .frame(width: 120, height: 80)
  ///
  /// RemoteImage(url: url) { state in
  ///   if let image = state.image {
  ///     image.resizable().scaledToFit()
  ///   } else if state.error != nil {
  ///     Image(systemName: "photo")
  ///   } else {
  ///     ProgressView(value: state.progress)
  ///   }
  /// }
  /// ```
  ///
  /// The view takes all the room that it is offered, so give it a frame, or let it follow its picture: with
  /// `ratio(.ofPicture())` it takes the width that it is offered and the height that the picture then has. It requests the picture in exactly that many pixels,
  /// resized by `mode(_:)`. A picture in the memory cache is shown in the first frame, without placeholder and without
  /// transition, also after SwiftUI has made the view again. The pipeline is the one of the environment
  /// (`imagePipeline(_:)`).
  public struct RemoteImage<Content: View>: View {
    private var settings: RemoteImageSettings
    private let content: (DisplayState, RemoteImageSettings, DisplaySize) -> Content
    @Environment(\.imagePipeline) private var pipeline
    @Environment(\.displayScale) private var displayScale
    /// That of the last picture.
    @State private var knownRatio: PictureRatio?

    /// Shows the view that a closure makes for each state of a request's load. For `nil` the state is `empty`.
    public init(_ request: ImageRequest?, @ViewBuilder content: @escaping (DisplayState) -> Content) {
      self.init(request, drawing: { state, _, _ in content(state) })
    }

    private init(
      _ request: ImageRequest?,
      drawing content: @escaping (DisplayState, RemoteImageSettings, DisplaySize) -> Content
    ) {
      settings = RemoteImageSettings(request: request)
      self.content = content
    }

    /// Shows the view that a closure makes for each state of a URL's load.
    ///
    /// - Parameters:
    ///   - url: the address of the picture. For `nil` the state is `empty`.
    ///   - key: the identity in the caches instead of the URL, for example for addresses whose token changes.
    public init(url: URL?, key: String? = nil, @ViewBuilder content: @escaping (DisplayState) -> Content) {
      self.init(
        url.map { ImageRequest(url: $0, priority: .veryHigh, cacheKey: key) }, content: content)
    }

    /// The content, in all the room that is offered, or in the ratio of `ratio(_:)`.
    public var body: some View {
      switch settings.ratio {
      case .ofView: place
      case .fixed(let ratio): place.aspectRatio(CGFloat(ratio), contentMode: .fit)
      case .ofPicture(let first): place.aspectRatio(CGFloat(ratio ?? first), contentMode: .fit)
      }
    }

    /// The ratio of the picture; `nil` until it is known.
    private var ratio: Double? {
      knownRatio.flatMap { $0.source == settings.request?.key.source ? $0.value : nil }
    }

    private var place: some View {
      GeometryReader { geometry in
        let size = DisplaySize(Double(geometry.size.width), Double(geometry.size.height))
        RemoteImagePlace(
          settings: settings, size: size, scale: Double(displayScale), pipeline: pipeline,
          content: { content($0, settings, size) }, onRatio: { knownRatio = $0 }
        )
        .frame(width: geometry.size.width, height: geometry.size.height)
      }
    }

    private func with(_ change: (inout RemoteImageSettings) -> Void) -> RemoteImage {
      var copy = self
      change(&copy.settings)
      return copy
    }
  }

  extension RemoteImage where Content == RemoteImageContent {
    /// Shows the picture of a request, its placeholder or its failure picture; for `nil` the placeholder.
    public init(_ request: ImageRequest?) {
      self.init(
        request,
        drawing: { state, settings, size in
          RemoteImageContent(
            state: state.drawn(with: settings.options.placeholder, in: size), settings: settings)
        })
    }

    /// Shows the picture of a URL, its placeholder or its failure picture; for `nil` the placeholder.
    public init(url: URL?, key: String? = nil) {
      self.init(url.map { ImageRequest(url: $0, priority: .veryHigh, cacheKey: key) })
    }

    /// Sets an image that is shown as it is until the picture is loaded: a symbol, or an asset with its variants.
    public func placeholder(_ image: Image) -> RemoteImage { with { $0.placeholderImage = image } }

    /// Sets an image that is shown as it is when the load fails.
    public func failureImage(_ image: Image) -> RemoteImage { with { $0.failureImage = image } }
  }

  extension RemoteImage {
    /// Sets how the picture is resized to the view: by default it covers the view (`aspectFill`). `none` shows it in its own
    /// size.
    public func mode(_ mode: ScaleMode) -> RemoteImage { with { $0.mode = mode } }

    /// Sets the ratio of width to height: by default that of the room that the view is offered.
    public func ratio(_ ratio: RemoteImageRatio) -> RemoteImage { with { $0.ratio = ratio } }

    /// Sets the cache format, instead of one made from the view's size and mode.
    public func format(_ format: CacheFormat?) -> RemoteImage { with { $0.format = format } }

    /// Adds processors after the resize.
    public func processors(_ processors: [any ImageProcessing]) -> RemoteImage {
      with { $0.processors = processors }
    }

    /// Sets the content that is shown until the picture is loaded; `nil` for nothing.
    public func placeholder(_ placeholder: DisplayPlaceholder?) -> RemoteImage {
      with { $0.options.placeholder = placeholder ?? .nothing }
    }

    /// Sets the picture that is shown when the load fails.
    public func failurePicture(_ picture: Picture?) -> RemoteImage {
      with { $0.options.failurePicture = picture }
    }

    /// Sets the transition to a picture that was not in the memory cache; a fade of 0.1 s by default.
    public func appearance(_ transition: DisplayTransition) -> RemoteImage {
      with { $0.options.transition = transition }
    }

    /// Sets all options of the display together.
    public func options(_ options: DisplayOptions) -> RemoteImage { with { $0.options = options } }

    /// Sets what the view does with its load when it disappears. By default it cancels the load, and starts it again when it
    /// reappears.
    public func onDisappear(_ behaviour: DisappearBehaviour) -> RemoteImage {
      with { $0.options.cancelsWhenHidden = behaviour == .cancel }
    }

    /// Sets a closure that is called when the picture is loaded or the load has failed.
    public func onCompletion(
      _ perform: @escaping (Result<ImageResponse, ImageError>) -> Void
    ) -> RemoteImage {
      with { $0.onCompletion = perform }
    }
  }

  extension RemoteImage {
    /// Describes the picture to people who do not see it; VoiceOver calls it an image. Without a description it is decorative,
    /// and VoiceOver passes over it.
    public func imageDescription(_ description: Text) -> some View {
      accessibilityElement().accessibilityLabel(description).accessibilityAddTraits(.isImage)
    }
  }

  /// The behaviour of a view that disappears while it loads.
  public enum DisappearBehaviour: Hashable, Sendable {
    /// The load is cancelled.
    case cancel
    /// The load continues, so that the caches get the picture.
    case keepLoading
  }

  /// The ratio of width to height of a remote image.
  public enum RemoteImageRatio: Hashable, Sendable {
    /// All the room that is offered.
    case ofView
    /// The given ratio, as wide or as high as the room allows.
    case fixed(Double)
    /// That of the picture; until its size is known, the given one.
    case ofPicture(until: Double = 4.0 / 3)
  }

  struct RemoteImageSettings {
    var request: ImageRequest?
    var mode = ScaleMode.aspectFill
    var ratio = RemoteImageRatio.ofView
    var format: CacheFormat?
    var processors: [any ImageProcessing] = []
    var options = DisplayOptions()
    var placeholderImage: Image?
    var failureImage: Image?
    var onCompletion: ((Result<ImageResponse, ImageError>) -> Void)?

    /// The request with the processors of the modifiers after its own.
    var completeRequest: ImageRequest? {
      guard let request, !processors.isEmpty else { return request }
      return request.with { $0.processors += processors }
    }
  }
#endif
