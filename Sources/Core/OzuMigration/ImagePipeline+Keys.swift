import Foundation
import Ozu

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
