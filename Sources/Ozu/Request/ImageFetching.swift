import Foundation

/// A source of your own: a database, an archive, a generator, a protocol Ozu does not speak.
///
/// Its work is done only when no cache has the answer, and once for all requests that want it at the same
/// time. Cancelling the last of them cancels the Swift task that runs `fetch()`.
///
/// ```swift
/// struct AvatarFetcher: ImageFetching {
///   let user: User.ID
///   var key: String { "avatar/\(user)" }
///   func fetch() async throws -> FetchedImage { .data(try await database.avatar(of: user)) }
/// }
/// ```
public protocol ImageFetching: Sendable {
  /// What tells this image from all others; two fetchers with one key are taken for the same image.
  var key: String { get }

  /// Gets the image.
  ///
  /// - Throws: anything; the request fails with `ImageError.fetchFailed`, which carries it.
  func fetch() async throws -> FetchedImage
}

/// What a fetcher brings.
public enum FetchedImage: Sendable {
  /// An encoded file.
  case data(Data)
  /// Pixels.
  case picture(Picture)
}
