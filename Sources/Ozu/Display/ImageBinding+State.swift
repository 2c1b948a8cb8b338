/// What a binding knows of the picture its view was given.
extension ImageBinding {
  /// The picture the view was given, and how far it is.
  struct Current {
    let number: Int
    let request: ImageRequest
    let options: DisplayOptions
    let cacheFormat: CacheFormat?
    var handlers: DisplayHandlers
    /// What was asked for; `nil` until the view has a size.
    var target: DisplayTarget?
    var load: DisplayLoad?
    /// Of the load whose events count.
    var loadNumber = 0
    /// The load before, for a smaller size: kept until the next one has joined the download they share.
    var retiring: DisplayLoad?
    var shown = Shown.nothing
    /// The size of the picture that will be shown, as soon as it is known.
    var expectedSize: PixelSize?
    /// Whether success or failure has been told.
    var isAnswered = false
    /// Its place among those that wait for the network; given up with the picture.
    var networkTicket: NetworkReturn.Ticket?
    /// How often the return of the network has restarted it.
    var restartCount = 0
    /// Whether it is to be restarted when the view appears.
    var isRestartDue = false
    /// Whether a load was called off that is still wanted.
    var isCancelled = false
  }

  /// What of the current picture is in the view.
  enum Shown {
    case nothing
    case placeholder
    case preview
    case picture(Picture)

    var isNothingYet: Bool {
      if case .nothing = self { true } else { false }
    }

    /// Whether what follows looks like it, so that a fade would only soften it.
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
