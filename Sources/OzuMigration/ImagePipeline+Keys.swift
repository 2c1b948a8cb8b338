import Foundation
import Ozu

/// The calls of Haneke and JMImageCache about keys that are second names in Ozu, or do a part of what its call does.
extension ImagePipeline {
  /// The picture of a URL under a key: from the caches if they know the key, else from the URL. In Ozu it is
  /// `image(for: ImageRequest(url: url, cacheKey: key))`, or `image(forKey:)` without a URL.
  ///
  /// - Parameters:
  ///   - url: where it is; `nil` when that is not known, and only the caches are asked.
  ///   - key: what it is kept under; `nil` for the URL itself.
  /// - Throws: `ImageError`; `notCached` without a URL.
  public func image(for url: URL?, key: String?) async throws(ImageError) -> Picture {
    guard let url else { return try await image(forKey: key ?? "") }
    return try await image(for: ImageRequest(url: url, key: key))
  }

  /// The picture of a key if the disk has it, whatever memory has. It goes into memory. In Ozu `image(forKey:format:)` asks memory
  /// and then the disk.
  public func imageFromDisk(forKey key: String, format: CacheFormat? = nil) async -> Picture? {
    await diskImage(forKey: key, format: format)
  }

  /// Puts a picture into the caches under a key, as `store(_:forKey:format:)` does; `nil` removes the picture of the key in the
  /// format, and in other formats nothing.
  public func setImage(_ picture: Picture?, forKey key: String, format: CacheFormat? = nil) {
    if let picture {
      store(picture, forKey: key, format: format)
    } else {
      removePicture(forKey: key, format: format)
    }
  }

  /// Removes what the caches have under a key, in every format, with its original: the same as `removeImage(forKey:)`.
  ///
  /// - Complexity: O(entries of the caches).
  public func removeImages(forKey key: String) async {
    await removeImage(forKey: key)
  }
}

extension CacheFormat {
  /// The bytes that the format's renditions take on disk: the same as `diskByteCount`.
  public var diskSize: Int { diskByteCount }
}
