import Foundation

/// A fetcher that hands its file over in pieces, and says how long it is good for.
///
/// It gets what the built-in download has: progress, the size and parts of the picture while it comes, limits on bytes
/// while they come, large files that never lie in memory whole, a lifetime after which it is asked whether the file has
/// changed, and what caches make of all that. For the rest it is an `ImageFetching` like others.
///
/// ```swift
/// struct Scan: ImageStreaming {
///   let key: String
///   func stream(into body: ImageBody) async throws {
///     let object = try await archive.object(key, unlessTag: body.known?.entityTag)
///     guard object.hasChanged else { return try body.confirm(.init(lifetime: .seconds(600))) }
///     try body.begin(.init(byteCount: object.size, lifetime: .seconds(600), entityTag: object.tag))
///     for try await piece in object.pieces { try await body.write(piece) }
///   }
/// }
/// ```
public protocol ImageStreaming: ImageFetching {
  /// Brings the file, piece by piece, or confirms the one that is known. The end of the function is the end of the file.
  ///
  /// - Throws: anything; the request fails with `ImageError.fetchFailed`, which carries it. What `body` throws is passed
  ///   on.
  func stream(into body: ImageBody) async throws
}

extension ImageStreaming {
  /// The whole file, for those who have no use for its pieces.
  public func fetch() async throws -> FetchedImage {
    let client = FetcherClient(self, name: key)
    do {
      return .data(
        try await client.data(for: client.request(limit: DecodingLimits.default.encodedByteCount)).body)
    } catch {
      throw client.failure ?? ImageError(error, source: key)
    }
  }
}

/// What a fetcher says of a file before its bytes.
public struct ImageBodyHead: Hashable, Sendable {
  /// How many bytes there will be; `nil` (the default) where that is not known. Fewer or more are an error.
  public var byteCount: Int?
  /// How long the file may be used without asking again; `nil` (the default) for as long as the caches keep it. Afterwards
  /// the fetcher is asked with `ImageBody.known`.
  public var lifetime: Duration?
  /// What tells this state of the file from every other.
  public var entityTag: String?
  /// When the file last changed, to the second.
  public var lastModified: Date?

  /// Makes a head; what is not given is not known.
  public init(
    byteCount: Int? = nil, lifetime: Duration? = nil, entityTag: String? = nil, lastModified: Date? = nil
  ) {
    self.byteCount = byteCount
    self.lifetime = lifetime
    self.entityTag = entityTag
    self.lastModified = lastModified
  }
}

/// The state of a file that a cache has, to be compared by its fetcher.
public struct KnownImage: Hashable, Sendable {
  /// The tag that the fetcher gave.
  public let entityTag: String?
  /// The date that the fetcher gave.
  public let lastModified: Date?
}
