/// How a view shows its pictures. Every part has a default.
public struct DisplayOptions: Sendable {
  /// What is shown until the picture is there; `nil` (the default) leaves the view as it is. A picture that memory
  /// has is set at once, without.
  public var placeholder: DisplayPlaceholder?
  /// What is shown when the picture cannot be loaded; `nil` (the default) leaves the view as it is.
  public var failurePicture: Picture?
  /// How the picture appears when it was not there at once. A fade of 0.1 s by default.
  public var transition = DisplayTransition.standard
  /// Whether parts of the picture are shown while it loads. On by default.
  public var showsPreviews = true
  /// Whether what moves is played. On by default.
  public var playsAnimations = true
  /// Whether a load ends when the view disappears; it begins again when the view reappears. On by default.
  public var cancelsWhenHidden = true
  /// Whether a load that failed for want of a network begins again when the network is back: up to five times, within ten
  /// minutes, and not if the view was given another picture meanwhile or was told to cancel. On by default. A view that is
  /// not on screen then begins when it appears. `DisplayHandlers` are told of each end.
  public var restartsWithNetwork = true
  /// How urgent the load of a URL or a fetcher is; a request brings its own. `veryHigh` by default: it is on
  /// screen.
  public var priority = ImagePriority.veryHigh
  /// The format that is made for a view which has none of its own.
  public var automaticFormat = AutomaticFormat()

  /// Makes the default options.
  public init() {}

  /// Makes options from the defaults with changes: `DisplayOptions { $0.placeholder = .nothing }`.
  public init(_ configure: (inout DisplayOptions) -> Void) {
    self.init()
    configure(&self)
  }
}
