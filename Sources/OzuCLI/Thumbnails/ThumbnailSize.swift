/// A size of the shared cache of thumbnails, named as its folder.
enum ThumbnailSize: String, CaseIterable, Sendable {
  case normal
  case large
  case extraLarge = "x-large"
  case twiceExtraLarge = "xx-large"

  /// The longest side, in pixels.
  var side: Int {
    switch self {
    case .normal: 128
    case .large: 256
    case .extraLarge: 512
    case .twiceExtraLarge: 1024
    }
  }
}
