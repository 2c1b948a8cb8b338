#if canImport(UIKit)
  import Ozu
  import UIKit

  extension Picture {
    /// The picture for UIKit, which shows the pixels where they are: nothing is copied. `nil` when Core Graphics cannot
    /// show them.
    ///
    /// Of a picture that moves it is the first frame; `UIImageView.setImage(from:)` plays it.
    ///
    /// - Complexity: O(1).
    public var uiImage: UIImage? {
      cgImage.map { UIImage(cgImage: $0, scale: CGFloat(scale), orientation: .up) }
    }

    /// Makes a picture of an image of UIKit, whose pixels are drawn into memory of our own and turned upright.
    ///
    /// - Returns: `nil` for an image without a bitmap of Core Graphics.
    /// - Complexity: O(pixels): not for a main thread, unless the image is small.
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

  extension DisplayContent {
    /// What is to be shown, for a screen of so many pixels a point.
    func uiImage(scale: Double) -> UIImage? {
      let image: CGImage?
      switch self {
      case .nothing: image = nil
      case .placeholder(let picture), .preview(let picture), .picture(let picture), .failure(let picture):
        image = picture.cgImage
      case .frame(let bitmap): image = bitmap.cgImage
      }
      return image.map { UIImage(cgImage: $0, scale: CGFloat(max(1, scale)), orientation: .up) }
    }
  }
#endif
