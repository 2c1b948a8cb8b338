import Ozu

/// A picture of the gallery.
public struct PictureItem: Sendable {
  /// What it is called; no two of a gallery are called alike.
  public let name: String
  /// Where it comes from.
  public let source: ImageSource

  /// Makes an item.
  public init(name: String, source: ImageSource) {
    self.name = name
    self.source = source
  }
}
