import Foundation
import Ozu

/// A picture of the gallery, or a folder of pictures.
public struct PictureItem: Sendable, Equatable {
  /// Its name, unique in a gallery.
  public let name: String
  /// The address of the file, the folder or the web page's picture; `nil` for a picture that has none.
  let url: URL?
  private let isFolder: Bool
  /// The facts about the file when it was listed; `nil` for a picture from elsewhere.
  var stamp: PictureStamp?
  /// When it was taken, in seconds since 1970; `nil` while that is not known, and where its file does not say.
  var captured: Double?
  /// Stars, 1 to 5, of a file beside the picture; 0 for none.
  var rating = 0
  /// The source of its pixels.
  public let source: ImageSource

  /// Makes an item.
  public init(name: String, source: ImageSource) {
    self.name = name
    self.source = source
    isFolder = false
    url =
      switch source {
      case .url(let url): url
      case .request(let request): request.url
      default: nil
      }
  }

  init(folder: URL) {
    name = folder.lastPathComponent
    url = folder
    source = .url(folder)
    isFolder = true
  }

  /// The file on this machine; `nil` for a picture from elsewhere.
  var file: URL? { url.flatMap { $0.isFileURL && !isFolder ? $0 : nil } }

  /// The request for a picture that is in sight.
  var request: ImageRequest { ImageRequest(source, priority: .veryHigh) }

  /// The folder; `nil` for a picture.
  var folder: URL? { isFolder ? url : nil }

  /// Whether name, address and what is known about the file are equal.
  public static func == (a: PictureItem, b: PictureItem) -> Bool {
    a.name == b.name && a.url == b.url && a.isFolder == b.isFolder && a.stamp == b.stamp
      && a.rating == b.rating
  }
}

/// The facts of a file that change when it is written again.
struct PictureStamp: Sendable, Equatable {
  let byteCount: Int
  /// When the file was last changed, in seconds since 1970.
  let modified: Double

  /// Asks the file system, by one call.
  ///
  /// - Returns: `nil` when there is no such file.
  init?(_ file: URL) {
    var status = stat()
    guard stat(file.path(percentEncoded: false), &status) == 0 else { return nil }
    byteCount = Int(status.st_size)
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    modified = Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
