#if canImport(UIKit)
  import Ozu
  import UIKit

  /// Every image view can be given a picture:
  ///
  /// ```swift
  /// imageView.ozu.setImage(from: url)
  /// ```
  ///
  /// Pictures are loaded in the size of the view's bounds, in pixels of its screen, and in the mode of its `contentMode`. With
  /// `redraw` and the modes that only move the image, such as `center`, pictures keep their own size. A change of
  /// `contentMode` counts from the next layout on.
  ///
  /// A view to which Auto Layout gives no size, or no height, takes it from its picture: the picture is then loaded in its own size, or as
  /// wide as the view.
  extension UIImageView {
    /// Loads and shows pictures.
    public var ozu: ImagePlace {
      ImagePlace(images: ViewDisplays.images(of: self, named: "image") { ImageViewPlace() })
    }
  }

  @available(*, deprecated, message: "write 'ozu' before the call, as in 'view.ozu.setImage(from: url)'")
  extension UIImageView: UnprefixedImagePresenting {}

  private struct ImageViewPlace: ViewPlace {
    var takesSizeOfPicture: Bool { true }

    func contentSize(in view: UIView) -> CGSize? { (view as? UIImageView)?.image?.size }

    func size(in view: UIView) -> CGSize { view.bounds.size }

    func mode(in view: UIView) -> ScaleMode { ScaleMode(view.contentMode) }

    func setImage(_ image: UIImage?, of view: UIView) { (view as? UIImageView)?.image = image }
  }

  extension ScaleMode {
    init(_ mode: UIView.ContentMode) {
      switch mode {
      case .scaleToFill: self = .fill
      case .scaleAspectFit: self = .aspectFit
      case .scaleAspectFill: self = .aspectFill
      case .redraw, .center, .top, .bottom, .left, .right, .topLeft, .topRight, .bottomLeft, .bottomRight:
        self = .none
      @unknown default: self = .none
      }
    }
  }
#endif
