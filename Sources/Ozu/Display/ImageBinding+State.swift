/// The state of a binding.
extension ImageBinding {
  /// The current request of the view, and the state of its load.
  struct Current {
    let number: Int
    let request: ImageRequest
    let options: DisplayOptions
    let cacheFormat: CacheFormat?
    var handlers: DisplayHandlers
    /// The target of the load; `nil` until the view has a size.
    var target: DisplayTarget?
    var load: DisplayLoad?
    /// The number of the current load; events of others are ignored.
    var loadNumber = 0
    /// The former load, for a smaller size. It is kept until the new one has joined the download that both need.
    var retiring: DisplayLoad?
    var shown = Shown.nothing
    /// The size of the picture that will be shown, once it is known.
    var expectedSize: PixelSize?
    /// Whether success or failure has been reported.
    var isAnswered = false
    /// The ticket of the wait for the network. It is released with the picture.
    var networkTicket: NetworkReturn.Ticket?
    /// The number of restarts after a return of the network.
    var restartCount = 0
    /// Whether to restart when the view appears.
    var isRestartDue = false
    /// Whether a load was cancelled that the view still wants.
    var isCancelled = false
  }

  /// The part of the current picture that the view shows.
  enum Shown {
    case nothing
    case placeholder
    case preview
    case picture(Picture)

    var isNothingYet: Bool {
      if case .nothing = self { true } else { false }
    }

    /// Whether it looks like the picture that follows, so that a fade would only blur it.
    var resemblesPicture: Bool {
      switch self {
      case .preview, .picture: true
      case .nothing, .placeholder: false
      }
    }

    var picture: Picture? {
      if case .picture(let picture) = self { picture } else { nil }
    }
  }
}
