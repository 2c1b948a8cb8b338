#if canImport(UIKit)
  import Ozu
  import UIKit

  extension Picture {
    /// The picture for UIKit, which uses the same pixels without a copy. `nil` when Core Graphics cannot show them.
    ///
    /// For an animation it is the first frame; `setImage(from:)` of a view plays animations.
    ///
    /// - Complexity: O(1).
    public var uiImage: UIImage? {
      cgImage.map { UIImage(cgImage: $0, scale: CGFloat(scale), orientation: .up) }
    }

    /// Makes a picture from an image of UIKit. Its pixels are copied and turned upright.
    ///
    /// - Returns: `nil` for an image without a bitmap of Core Graphics.
    /// - Complexity: O(pixels). Do not call it on the main thread, unless the image is small.
    public init?(_ image: UIImage) {
      guard let bitmap = image.cgImage.flatMap({ Bitmap($0) }) else { return nil }
      self.init(bitmap.upright(from: Orientation(image.imageOrientation)), scale: Double(image.scale))
    }
  }

  extension Orientation {
    /// The orientations of UIKit and of EXIF are the same eight, in another order.
    fileprivate init(_ orientation: UIImage.Orientation) {
      switch orientation {
      case .up: self = .up
      case .down: self = .down
      case .left: self = .left
      case .right: self = .right
      case .upMirrored: self = .upMirrored
      case .downMirrored: self = .downMirrored
      case .leftMirrored: self = .leftMirrored
      case .rightMirrored: self = .rightMirrored
      @unknown default: self = .up
      }
    }
  }

  extension UIImage: FailureImage {
    /// The image as the content of a view, which shows it as it is.
    nonisolated public var ozuContent: DisplayContent { .toolkitImage(ToolkitImage(self)) }
  }

  extension DisplayPlaceholder {
    /// An image of UIKit, shown as it is: a symbol keeps its tint, and an asset its variant for dark appearance.
    public static func image(_ image: UIImage?) -> DisplayPlaceholder {
      image.map { .toolkitImage(ToolkitImage($0)) } ?? .nothing
    }
  }

  extension ToolkitImage {
    package var uiImage: UIImage? { image as? UIImage }
  }

  extension DisplayContent {
    /// The image to show on a screen with a scale in pixels per point.
    func uiImage(scale: Double) -> UIImage? {
      if case .toolkitImage(let own) = self { return own.uiImage }
      return cgImage.map { UIImage(cgImage: $0, scale: CGFloat(max(1, scale)), orientation: .up) }
    }
  }
#endif
