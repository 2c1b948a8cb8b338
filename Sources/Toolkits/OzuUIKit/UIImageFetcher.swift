#if canImport(UIKit)
  import Ozu
  import UIKit

  /// An image of UIKit as a source: it is resized and cached under a key. Its pixels are read only when no cache has the
  /// result, and not on the main thread.
  public struct UIImageFetcher: ImageFetching {
    /// The identity of the image.
    public let key: String
    private let image: UIImage

    /// Makes a source of an image.
    public init(_ image: UIImage, key: String) {
      self.image = image
      self.key = key
    }

    /// Gives the image as a picture.
    ///
    /// - Throws: `ImageError.emptyData` for an image without a bitmap of Core Graphics.
    @concurrent
    public func fetch() async throws -> FetchedImage {
      guard let picture = Picture(image) else { throw ImageError.emptyData(key) }
      return .picture(picture)
    }
  }

  extension ImagePresenting {
    /// Shows an image of UIKit, resized to the view and cached under a key.
    ///
    /// - Returns: whether the picture was shown immediately.
    @discardableResult
    public func setImage(
      _ image: UIImage, key: String, placeholder: DisplayPlaceholder? = nil,
      failureImage: (any FailureImage)? = nil,
      format: CacheFormat? = nil, processors: [any ImageProcessing] = [],
      transition: DisplayTransition? = nil,
      success: ((ImageResponse) -> Void)? = nil, failure: ((ImageError) -> Void)? = nil
    ) -> Bool {
      setImage(
        from: UIImageFetcher(image, key: key), placeholder: placeholder, failureImage: failureImage,
        format: format, processors: processors, transition: transition, success: success, failure: failure)
    }
  }
#endif
