import Foundation
import Ozu

/// A picture of the gallery.
public struct PictureItem: Sendable {
  /// Its name, unique in a gallery.
  public let name: String
  /// The source of its pixels.
  public let source: ImageSource

  /// Makes an item.
  public init(name: String, source: ImageSource) {
    self.name = name
    self.source = source
  }

  /// The address.
  var url: URL? {
    switch source {
    case .url(let url): url
    case .request(let request): request.url
    default: nil
    }
  }

  /// The file on this machine; `nil` for a picture from elsewhere.
  var file: URL? { url.flatMap { $0.isFileURL ? $0 : nil } }
}
