import Foundation
import Ozu

/// A source for a picture in a local file. Does the same as the file URL.
public struct DiskFetcher: ImageFetching, URLFetching {
  /// The path of the file.
  public let path: String
  /// The path.
  public var key: String { path }

  /// Makes a source of a file.
  public init(path: String) {
    self.path = path
  }

  package var plainURL: URL? { URL(filePath: path) }

  /// Reads the file.
  ///
  /// - Throws: `ImageError`: `noSuchFile`, `isDirectory`, `unreadableFile`, `emptyData` for no bytes, `notAnImage` for
  ///   bytes that are not an image.
  public func fetch() async throws -> FetchedImage {
    .data(try await ImageSource.contents(ofFile: path))
  }
}
