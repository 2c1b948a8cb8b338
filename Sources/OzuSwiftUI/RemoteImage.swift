#if canImport(SwiftUI)
  import Foundation
  import Ozu
  import SwiftUI

  /// A picture from anywhere, in the place the layout gives it.
  ///
  /// ```swift
  /// RemoteImage(url: url)
  ///   .placeholder(.thumbHash(hash))
  ///   .frame(width: 120, height: 80)
  ///
  /// RemoteImage(url: url) { state in
  ///   if let image = state.image {
  ///     image.resizable()
  ///   } else if state.error != nil {
  ///     Image(systemName: "photo")
  ///   } else {
  ///     ProgressView(value: state.progress)
  ///   }
  /// }
  /// ```
  ///
  /// The view takes all the room that it is offered, and asks for the picture in exactly that many pixels, brought
  /// there as `mode(_:)` says: give it a frame. A picture that memory has is there in the first frame that is drawn,
  /// without placeholder and without transition, also after the view was made anew. The pipeline is that of the
  /// environment (`imagePipeline(_:)`).
  public struct RemoteImage<Content: View>: View {
    private var settings: RemoteImageSettings
    private let content: (DisplayState, ScaleMode) -> Content
    @Environment(\.imagePipeline) private var pipeline
    @Environment(\.displayScale) private var displayScale

    /// Shows what a closure makes of each state of the load of a request; `nil` is `empty`.
    public init(_ request: ImageRequest?, @ViewBuilder content: @escaping (DisplayState) -> Content) {
      self.init(request, drawing: { state, _ in content(state) })
    }

    private init(_ request: ImageRequest?, drawing content: @escaping (DisplayState, ScaleMode) -> Content) {
      settings = RemoteImageSettings(request: request)
      self.content = content
    }

    /// Shows what a closure makes of each state of the load of a URL.
    ///
    /// - Parameters:
    ///   - url: where the picture is; `nil` is `empty`.
    ///   - key: an identity to use in place of the URL, for example for addresses whose token changes.
    public init(url: URL?, key: String? = nil, @ViewBuilder content: @escaping (DisplayState) -> Content) {
      self.init(
        url.map { ImageRequest(url: $0, priority: .veryHigh, cacheKey: key) }, content: content)
    }

    /// The content, in all the room there is.
    public var body: some View {
      GeometryReader { geometry in
        RemoteImagePlace(
          settings: settings, size: DisplaySize(Double(geometry.size.width), Double(geometry.size.height)),
          scale: Double(displayScale), pipeline: pipeline,
          content: { content($0, settings.mode) }
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
    /// Shows the picture of a request, its placeholder or its failure picture.
    public init(_ request: ImageRequest?) {
      self.init(request, drawing: { RemoteImageContent(state: $0, mode: $1) })
    }

    /// Shows the picture of a URL, its placeholder or its failure picture.
    public init(url: URL?, key: String? = nil) {
      self.init(url.map { ImageRequest(url: $0, priority: .veryHigh, cacheKey: key) })
    }
  }

  extension RemoteImage {
    /// How the picture is brought to the view's size: covering it (`aspectFill`) by default. `none` shows it at its
    /// own size.
    public func mode(_ mode: ScaleMode) -> RemoteImage { with { $0.mode = mode } }

    /// The format of the pictures, in place of one made of the view's size and mode.
    public func format(_ format: CacheFormat?) -> RemoteImage { with { $0.format = format } }

    /// Steps that follow the resize.
    public func processors(_ processors: [any ImageProcessing]) -> RemoteImage {
      with { $0.processors = processors }
    }

    /// What is shown until the picture is there.
    public func placeholder(_ placeholder: DisplayPlaceholder?) -> RemoteImage {
      with { $0.options.placeholder = placeholder }
    }

    /// What is shown when the picture cannot be loaded.
    public func failurePicture(_ picture: Picture?) -> RemoteImage {
      with { $0.options.failurePicture = picture }
    }

    /// How the picture appears when it was not there at once; a fade of 0.1 s by default.
    public func appearance(_ transition: DisplayTransition) -> RemoteImage {
      with { $0.options.transition = transition }
    }

    /// How pictures are shown, in all parts at once.
    public func options(_ options: DisplayOptions) -> RemoteImage { with { $0.options = options } }

    /// What becomes of the load when the view disappears; it is called off by default, and begins again when the
    /// view reappears.
    public func onDisappear(_ behaviour: DisappearBehaviour) -> RemoteImage {
      with { $0.options.cancelsWhenHidden = behaviour == .cancel }
    }

    /// What to do when the picture is there, or cannot be loaded.
    public func onCompletion(
      _ perform: @escaping (Result<ImageResponse, ImageError>) -> Void
    ) -> RemoteImage {
      with { $0.onCompletion = perform }
    }
  }

  /// What becomes of a load when its view disappears.
  public enum DisappearBehaviour: Hashable, Sendable {
    /// It is called off.
    case cancel
    /// It goes on, for the caches.
    case keepLoading
  }

  /// All that is said of a remote image.
  struct RemoteImageSettings {
    var request: ImageRequest?
    var mode = ScaleMode.aspectFill
    var format: CacheFormat?
    var processors: [any ImageProcessing] = []
    var options = DisplayOptions()
    var onCompletion: ((Result<ImageResponse, ImageError>) -> Void)?

    /// The request with the processors of the modifiers behind its own.
    var asked: ImageRequest? {
      guard let request, !processors.isEmpty else { return request }
      return request.with { $0.processors += processors }
    }
  }
#endif
