import Foundation

/// A picture in a local file, as a source. The same as its file URL.
public struct DiskFetcher: ImageFetching, URLFetching {
  /// Where the file is.
  public let path: String
  /// The path.
  public var key: String { path }

  private static let queue = WorkQueue(label: "disk-fetcher", width: 2)

  /// Makes a source of a file.
  public init(path: String) {
    self.path = path
  }

  var plainURL: URL? { URL(filePath: path) }

  /// Reads the file.
  ///
  /// - Throws: `ImageError`: `noSuchFile`, `isDirectory`, `unreadableFile`, `emptyData` for no bytes, `notAnImage` for
  ///   something else.
  public func fetch() async throws -> FetchedImage {
    let path = path
    let outcome = await Self.queue.run(priority: ImagePriority.normal) { _ in
      Result { () throws(ImageError) in
        try FileReader.read(path, limit: DecodingLimits.default.encodedByteCount).data
      }
    }
    return .data(try outcome.get().checkedImage(path))
  }
}
