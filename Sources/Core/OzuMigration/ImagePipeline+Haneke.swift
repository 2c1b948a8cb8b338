import Foundation
import Ozu

/// Haneke's calls, with closures on the main actor. For a picture in memory the closure is called before the call returns.
extension ImagePipeline {
  /// Loads the picture of a fetcher in a format: from memory at once, else from disk, else from the fetcher.
  ///
  /// - Parameters:
  ///   - fetcher: asked only when no cache has the picture.
  ///   - format: the format; `nil` for the picture at its own size. Registered when it is first used.
  ///   - success: called with the picture; before this function returns if memory has it.
  ///   - failure: called instead of `success` when the load fails; never before this function has returned.
  /// - Returns: the retrieval that is under way; `nil` when the answer was given at once.
  @MainActor
  @discardableResult
  public func fetchImage(
    for fetcher: some ImageFetching, format: CacheFormat? = nil,
    success: @escaping @MainActor (Picture) -> Void, failure: (@MainActor (ImageError) -> Void)? = nil
  ) -> PendingImage? {
    fetchImage(ImageRequest(.fetcher(fetcher), format: format), success: success, failure: failure)
  }

  /// Loads the picture of a request, with any source.
  @MainActor
  @discardableResult
  public func fetchImage(
    _ request: ImageRequest, success: @escaping @MainActor (Picture) -> Void,
    failure: (@MainActor (ImageError) -> Void)? = nil
  ) -> PendingImage? {
    if let response = memoryResponse(for: request) {
      // The stale picture is shown, and a load is started so that the next call has the newer one.
      if response.source == .stale, request.cachePolicy != .cacheOnly { _ = task(for: request) }
      success(response.picture)
      return nil
    }
    return PendingImage(success, failure) { () throws(ImageError) in try await self.image(for: request) }
  }

  /// Loads the picture of a key in a format, from the caches only.
  ///
  /// - Parameters:
  ///   - success: called with the picture; before this function returns if memory has it.
  ///   - failure: called with `ImageError.notCached` instead of `success` when no cache has it.
  /// - Returns: the retrieval that is under way; `nil` when the answer was given at once.
  @MainActor
  @discardableResult
  public func fetchImage(
    forKey key: String, format: CacheFormat? = nil, success: @escaping @MainActor (Picture) -> Void,
    failure: (@MainActor (ImageError) -> Void)? = nil
  ) -> PendingImage? {
    if let picture = cachedImage(forKey: key, format: format), !picture.isPreview {
      success(picture)
      return nil
    }
    return PendingImage(success, failure) { () throws(ImageError) in
      try await self.image(forKey: key, format: format)
    }
  }
}

/// A load that has not been answered yet. It continues even if the app releases this object.
///
/// It calls one of its closures, `success` or `failure`, once. After `cancel()` it calls neither.
@MainActor
public final class PendingImage {
  private var success: (@MainActor (Picture) -> Void)?
  private var failure: (@MainActor (ImageError) -> Void)?
  private var work: Task<Void, Never>?

  init(
    _ success: @escaping @MainActor (Picture) -> Void, _ failure: (@MainActor (ImageError) -> Void)?,
    load: @escaping @Sendable () async throws(ImageError) -> Picture
  ) {
    self.success = success
    self.failure = failure
    work = Task { @MainActor in
      do throws(ImageError) {
        let picture = try await load()
        let answer = self.success
        self.end()
        answer?(picture)
      } catch {
        let answer = self.failure
        self.end()
        answer?(error)
      }
    }
  }

  /// Whether it has been answered or cancelled.
  public var isFinished: Bool { success == nil }

  /// Cancels the load: neither closure is called afterwards.
  public func cancel() {
    work?.cancel()
    end()
  }

  private func end() {
    success = nil
    failure = nil
    work = nil
  }
}

/// Calls of Haneke and JMImageCache that take keys. Each does the same as a call of Ozu, or a part of it.
extension ImagePipeline {
  /// The picture of a URL under a key: from the caches if they know the key, else from the URL. In Ozu it is
  /// `image(for: ImageRequest(url: url, cacheKey: key))`, or `image(forKey:)` without a URL.
  ///
  /// - Parameters:
  ///   - url: the address; with `nil` only the caches are asked.
  ///   - key: the key in the caches; `nil` for the URL itself.
  /// - Throws: `ImageError`; `notCached` if there is no URL and no cache has the picture.
  public func image(for url: URL?, key: String?) async throws(ImageError) -> Picture {
    guard let url else { return try await image(forKey: key ?? "") }
    return try await image(for: ImageRequest(url: url, key: key))
  }

  /// The picture of a key if the disk has it, without asking memory. The picture is put into memory. In Ozu
  /// `image(forKey:format:)` asks memory and then the disk.
  public func imageFromDisk(forKey key: String, format: CacheFormat? = nil) async -> Picture? {
    await diskImage(forKey: key, format: format)
  }

  /// Stores a picture in the caches under a key, as `store(_:forKey:format:)` does. `nil` removes the picture of the key in
  /// this format only.
  public func setImage(_ picture: Picture?, forKey key: String, format: CacheFormat? = nil) {
    if let picture {
      store(picture, forKey: key, format: format)
    } else {
      removePicture(forKey: key, format: format)
    }
  }

  /// Removes the pictures of a key in every format, and the original. Does the same as `removeImage(forKey:)`.
  ///
  /// - Complexity: O(entries of the caches).
  public func removeImages(forKey key: String) async {
    await removeImage(forKey: key)
  }
}

extension CacheFormat {
  /// The bytes that the format's renditions take on disk. The same as `diskByteCount`.
  public var diskSize: Int { diskByteCount }
}
