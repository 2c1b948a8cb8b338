import Dispatch
import Foundation

/// A fetcher for a local file. In a pipeline it is the same as its file URL.
public struct DiskFetcher: ImageFetching, URLFetching {
  /// The path of the file.
  public let path: String
  /// The path.
  public var key: String { path }

  // Reading a file blocks, which is not allowed on a thread of Swift's cooperative pool.
  private static let queue = DispatchQueue(label: "ozu.disk-fetcher")

  /// Makes a fetcher for a file.
  public init(path: String) {
    self.path = path
  }

  var plainURL: URL? { URL(filePath: path) }

  /// Reads the file.
  ///
  /// - Throws: `ImageError`: `noSuchFile`, `isDirectory`, `unreadableFile`, `emptyData` for no bytes, `notAnImage`
  ///   for another kind of file.
  public func fetch() async throws -> FetchedImage {
    let path = path
    let outcome = await withCheckedContinuation { continuation in
      Self.queue.async {
        continuation.resume(
          returning: Result { () throws(ImageError) in
            try FileReader.read(path, limit: DecodingLimits.default.encodedByteCount).data
          })
      }
    }
    return .data(try outcome.get().checkedImage(path))
  }
}
