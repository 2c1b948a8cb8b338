import OzuBase

/// A source of the app: a database, an archive, a generator, a protocol that Ozu does not support.
///
/// It is called only if no cache has the image, and once for all requests that want the image at the same time.
/// Cancelling the last of them cancels the Swift task that runs `fetch()`. The fetcher then counts no longer among
/// those that run at once, whether it returns or not; one that ignores its cancellation only wastes its work
/// (`PipelineDiagnostics.Queue.abandonedCount`).
///
/// As many fetchers of one type run at once as `network.concurrentFetchesPerOrigin` says. A fetcher may `await` other
/// pictures of a pipeline; it does not count while it does. Asking for its own picture is an error.
///
/// ```swift
/// struct AvatarFetcher: ImageFetching {
///   let user: User.ID
///   var key: String { "avatar/\(user)" }
///   func fetch() async throws -> FetchedImage { .data(try await database.avatar(of: user)) }
/// }
/// ```
public protocol ImageFetching: Sendable {
  /// The identity of the image. Two fetchers with the same key are taken for the same image, which is never stale: put a
  /// version into the key of an image that can change, or state a lifetime as an `ImageStreaming`.
  var key: String { get }

  /// Fetches the image.
  ///
  /// - Throws: any error; the request fails with `ImageError.fetchFailed`, which contains it. An `ImageError` fails the request as it
  ///   is, and a `CancellationError` ends it as cancelled.
  func fetch() async throws -> FetchedImage
}

/// The result of a fetcher.
public enum FetchedImage: Sendable {
  /// An encoded file.
  case data(Data)
  /// Pixels.
  case picture(Picture)
}

/// A fetcher that may only represent a URL.
package protocol URLFetching: ImageFetching {
  /// The URL, if the pipeline can load it by itself.
  var plainURL: URL? { get }
}

/// A picture in memory that a view was given under a key: it is brought to the view's size and cached under the key.
struct HeldPicture: ImageFetching {
  let picture: Picture
  let key: String

  func fetch() async throws -> FetchedImage { .picture(picture) }
}

/// A source that is known by its key alone. Only caches can answer for it.
struct AbsentFetcher: ImageFetching {
  let key: String

  func fetch() async throws -> FetchedImage { throw ImageError.notCached(key) }
}

/// Stands for a text that is not a URL.
struct InvalidAddress: ImageFetching {
  let key: String

  func fetch() async throws -> FetchedImage {
    throw ImageError.invalidSource(key, reason: "the text is not a URL")
  }
}
