import Foundation
import Ozu

/// A picture in a local file, as a source. The same as its file URL.
public struct DiskFetcher: ImageFetching, URLFetching {
  /// Where the file is.
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
  ///   something else.
  public func fetch() async throws -> FetchedImage {
    .data(try await ImageSource.contents(ofFile: path))
  }
}
