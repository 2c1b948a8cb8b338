/// The state of a declarative view: one value for everything that a binding reports over time.
public enum DisplayState: Sendable {
  /// There is no request.
  case empty
  /// The picture is loading, and no part of it can be shown yet.
  ///
  /// - Parameters:
  ///   - progress: the received bytes; `nil` before the first.
  ///   - placeholder: the picture to show meanwhile.
  case loading(progress: LoadProgress?, placeholder: Picture?)
  /// A preview of the picture is available; the rest is loading.
  case preview(Picture)
  /// The picture, or the current frame of an animation.
  case success(Picture)
  /// The picture could not be loaded.
  ///
  /// - Parameter picture: the picture to show instead: the failure picture, or the source's picture or preview of before. A placeholder
  ///   is left to the view, which may have something better to draw for an error.
  case failure(ImageError, picture: Picture?)

  /// The state of a load that has not begun, with the placeholder of its picture.
  package init(placeholder: DisplayPlaceholder, in size: DisplaySize?) {
    let content = placeholder.content(in: size) ?? .nothing
    self.init(content, .loading, progress: nil)
  }

  /// The state to draw for an app that draws nothing itself: without a request the placeholder, as every view shows it.
  package func drawn(with placeholder: DisplayPlaceholder, in size: DisplaySize) -> DisplayState {
    guard case .empty = self else { return self }
    return DisplayState(placeholder: placeholder, in: size)
  }

  /// The picture to draw: the picture itself, a preview or a placeholder.
  public var picture: Picture? {
    switch self {
    case .empty: nil
    case .loading(_, let picture): picture
    case .preview(let picture), .success(let picture): picture
    case .failure(_, let picture): picture
    }
  }

  /// Whether the load has ended: the picture is the one that stays, and not a placeholder or a preview for it.
  package var isFinal: Bool {
    switch self {
    case .success, .failure: true
    case .empty, .loading, .preview: false
    }
  }

  /// The error of a failed load.
  public var error: ImageError? {
    if case .failure(let error, _) = self { error } else { nil }
  }

  init(_ content: DisplayContent, _ phase: DisplayPhase, progress: LoadProgress?) {
    switch (phase, content) {
    case (.failed(let error), .failure(let picture)), (.failed(let error), .picture(let picture)),
      (.failed(let error), .frame(let picture)), (.failed(let error), .preview(let picture)):
      self = .failure(error, picture: picture)
    case (.failed(let error), _): self = .failure(error, picture: nil)
    case (_, .picture(let picture)), (_, .frame(let picture)): self = .success(picture)
    case (_, .preview(let picture)): self = .preview(picture)
    case (.empty, _): self = .empty
    case (_, .placeholder(let picture)): self = .loading(progress: progress, placeholder: picture)
    case (_, .nothing), (_, .failure), (_, .toolkitImage):
      self = .loading(progress: progress, placeholder: nil)
    }
  }
}
