/// What a declarative view shows: one value for all that a binding tells over time.
public enum DisplayState: Sendable {
  /// Nothing was asked for.
  case empty
  /// The picture is on its way, and of it there is nothing to show yet.
  ///
  /// - Parameters:
  ///   - progress: what has arrived; `nil` before anything has.
  ///   - placeholder: what stands in for the picture.
  case loading(progress: LoadProgress?, placeholder: Picture?)
  /// A part of the picture is there, while the rest is loading.
  case preview(Picture)
  /// The picture, or the frame of it that is its turn.
  case success(Picture)
  /// The picture could not be loaded.
  ///
  /// - Parameter picture: what stands in for it.
  case failure(ImageError, picture: Picture?)

  /// A load that has not begun, with what stands in for its picture.
  public init(placeholder: DisplayPlaceholder?, in size: DisplaySize?) {
    let content = placeholder?.content(in: size) ?? .nothing
    self.init(content, .loading, progress: nil)
  }

  /// What there is to draw: the picture, a part of it or what stands in for it.
  public var picture: Picture? {
    switch self {
    case .empty: nil
    case .loading(_, let picture): picture
    case .preview(let picture), .success(let picture): picture
    case .failure(_, let picture): picture
    }
  }

  /// Why there is no picture.
  public var error: ImageError? {
    if case .failure(let error, _) = self { error } else { nil }
  }

  /// From what a view was told to show, and how far its binding is.
  init(_ content: DisplayContent, _ phase: DisplayPhase, progress: LoadProgress?) {
    switch (phase, content) {
    case (.failed(let error), .failure(let picture)): self = .failure(error, picture: picture)
    case (.failed(let error), _): self = .failure(error, picture: nil)
    case (_, .picture(let picture)): self = .success(picture)
    case (_, .frame(let bitmap)): self = .success(Picture(bitmap))
    case (_, .preview(let picture)): self = .preview(picture)
    case (.empty, _): self = .empty
    case (_, .placeholder(let picture)): self = .loading(progress: progress, placeholder: picture)
    case (_, .nothing), (_, .failure): self = .loading(progress: progress, placeholder: nil)
    }
  }
}
