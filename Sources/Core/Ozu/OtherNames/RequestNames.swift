import Foundation
import OzuHTTP

// Names that users of other libraries try first. The compiler says which name is the right one; `Documentation/first-guesses.md` lists
// them, and is compiled.

extension ImageRequest {
  /// `deadline` limits the whole load, `timeouts` the download.
  @available(*, unavailable, message: "use 'deadline' for the whole load, or 'timeouts' for the download")
  public var timeout: Duration? {
    get { deadline }
    set { deadline = newValue }
  }
}

extension CachePolicy {
  /// The name is `reload`.
  @available(*, unavailable, renamed: "reload")
  public static var reloadIgnoringCache: CachePolicy { .reload }
  /// The name is `reload`.
  @available(*, unavailable, renamed: "reload")
  public static var reloadIgnoringCachedData: CachePolicy { .reload }
  /// The name is `cacheOnly`.
  @available(*, unavailable, renamed: "cacheOnly")
  public static var returnCacheDataDontLoad: CachePolicy { .cacheOnly }
}

extension Picture {
  /// `await encoded(as: .png)` makes a file of the picture.
  @available(*, unavailable, message: "use 'await encoded(as: .png)'")
  public func pngData() -> Data? { nil }

  /// `await encoded(as: .jpeg)` makes a file of the picture.
  @available(*, unavailable, message: "use 'await encoded(as: .jpeg, options: EncodingOptions(quality: …))'")
  public func jpegData(compressionQuality: Double) -> Data? { nil }
}

extension PictureAnimation {
  /// Frames are made when they are asked for: `frameCount` and `frame(at:)`.
  @available(
    *, unavailable, message: "frames are made when they are asked for: use 'frameCount' and 'frame(at:)'"
  )
  public var frames: [Bitmap] { [] }
}

extension LoadProgress {
  /// The name is `receivedByteCount`.
  @available(*, unavailable, renamed: "receivedByteCount")
  public var received: Int { receivedByteCount }
  /// The name is `expectedByteCount`.
  @available(*, unavailable, renamed: "expectedByteCount")
  public var total: Int? { expectedByteCount }
}
