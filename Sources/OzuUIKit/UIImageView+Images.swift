#if canImport(UIKit) && !os(watchOS)
  import Ozu
  import UIKit

  /// Every image view can be given a picture:
  ///
  /// ```swift
  /// imageView.setImage(from: url)
  /// ```
  ///
  /// The size is that of its bounds in the pixels of its screen, the mode its `contentMode`; with `redraw` and those
  /// that only move the image, such as `center`, pictures keep their own size. A change of `contentMode` counts from
  /// the next layout on.
  extension UIImageView: ImagePresenting {
    /// What puts pictures into the view.
    public var images: ImageBinding {
      ViewDisplays.display(of: self, named: "image") { ImageViewPlace() }.images
    }
  }

  private struct ImageViewPlace: ViewPlace {
    func size(in view: UIView) -> CGSize { view.bounds.size }

    func mode(in view: UIView) -> ScaleMode { ScaleMode(view.contentMode) }

    func allowsUpscaling(in view: UIView) -> Bool { true }

    func setImage(_ image: UIImage?, of view: UIView) { (view as? UIImageView)?.image = image }
  }

  extension ScaleMode {
    /// What a content mode is in the words of Ozu.
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
