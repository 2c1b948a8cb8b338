/// The state of a binding.
extension ImageBinding {
  /// The current request of the view, and the state of its load.
  struct Current {
    let number: Int
    private(set) var request: ImageRequest
    var options: DisplayOptions
    let cacheFormat: CacheFormat?
    var handlers: DisplayHandlers
    /// The target of the load; `nil` until the view has a size.
    var target: DisplayTarget?
    var load: DisplayLoad?
    /// The number of the current load; events of others are ignored.
    var loadNumber = 0
    /// The former load, for a smaller size. It is kept until the new one has joined the download that both need.
    var retiring: DisplayLoad?
    /// `otherSource` until the view has made room for the request's source, if it had another; then `sameSource`.
    var occasion: DisplayOccasion
    /// Whether the picture has been shown since the request was set.
    var hasShown = false
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

    mutating func setPriority(_ priority: ImagePriority) {
      request.priority = priority
      load?.setPriority(priority)
    }
  }

  /// The content of the view. It outlives the request that it belongs to.
  struct Shown {
    let row: DisplayRow
    /// The picture of the source; `nil` if a closure shows it (`DisplayHandlers.success`).
    let picture: Picture?

    init(_ row: DisplayRow, _ picture: Picture? = nil) {
      self.row = row
      self.picture = picture
    }
  }
}
