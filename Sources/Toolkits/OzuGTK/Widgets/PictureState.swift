#if GTK
  import Ozu

  /// The state of a widget's picture, for the app to show.
  ///
  /// The widget always has the CSS class for it: `ozu-empty`, `ozu-loading`, `ozu-shown` or `ozu-failed`.
  public enum PictureState: Sendable {
    /// There is no picture, or its load was cancelled.
    case empty
    /// The picture is loading.
    ///
    /// - Parameter fraction: the part that has arrived, 0 to 1; `nil` while it is not known.
    case loading(fraction: Double?)
    /// The picture is shown.
    case shown
    /// The picture could not be loaded; `retry()` asks again.
    case failed(ImageError)

    @MainActor
    init(_ images: ImageBinding) {
      self =
        switch images.phase {
        case .empty, .cancelled: .empty
        case .waitingForLayout: .loading(fraction: nil)
        case .loading: .loading(fraction: images.progress?.fraction)
        case .shown: .shown
        case .failed(let error): .failed(error)
        }
    }

    /// The name of the state: `empty`, `loading`, `shown` or `failed`.
    public var name: String {
      switch self {
      case .empty: "empty"
      case .loading: "loading"
      case .shown: "shown"
      case .failed: "failed"
      }
    }

    /// The reason of a failure, in one line of the user's language; `nil` in other states.
    public var reason: String? {
      if case .failed(let error) = self { error.reason } else { nil }
    }

    /// The part of a loading picture that has arrived, 0 to 1; `nil` while it is not known, or in other states.
    public var fraction: Double? {
      if case .loading(let fraction) = self { fraction } else { nil }
    }

    var cssClass: String { "ozu-\(name)" }
  }
#endif
