import Dispatch
import Foundation

/// A picture in a local file, as a source. The same as its file URL.
public struct DiskFetcher: ImageFetching, URLFetching {
  /// Where the file is.
  public let path: String
  /// The path.
  public var key: String { path }

  // A read waits for a disk, which no thread of Swift's own may do.
  private static let queue = DispatchQueue(label: "ozu.disk-fetcher")

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
