#if GTK
  import Ozu

  /// How far a widget has come with the picture it was given, as something to show.
  ///
  /// The widget has a CSS class for it at the same time: `ozu-empty`, `ozu-loading`, `ozu-shown` or `ozu-failed`.
  public enum PictureState: Sendable {
    /// It was given none, or its load was called off.
    case empty
    /// The picture is on its way.
    ///
    /// - Parameter fraction: how much has arrived, 0 to 1; `nil` while that is not known.
    case loading(fraction: Double?)
    /// The picture is there.
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

    /// Why there is no picture, as one line of words; `nil` unless it has failed.
    public var reason: String? {
      if case .failed(let error) = self { error.explanation } else { nil }
    }

    /// How much of a picture that is loading has arrived, 0 to 1; `nil` while that is not known, or nothing is loading.
    public var fraction: Double? {
      if case .loading(let fraction) = self { fraction } else { nil }
    }

    var cssClass: String { "ozu-\(name)" }
  }
#endif
