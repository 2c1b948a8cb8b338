#if canImport(UIKit)
  import Ozu
  import UIKit

  /// One of the places of a view that has several, such as the background of a button's state.
  @MainActor
  public struct ImagePlace: ImagePresenting {
    /// The binding of the place: it loads and shows pictures.
    public let images: ImageBinding
  }

  /// Buttons have an image and a background image for each of their states:
  ///
  /// ```swift
  /// button.setImage(from: url, for: .normal)
  /// button.backgroundImagePlace(for: .highlighted).setImage(fromFile: path, placeholder: .nothing)
  /// ```
  ///
  /// An image is resized to fit inside the button without the insets of its configuration; it fills that place if the content
  /// is aligned to fill. A background is stretched over the button.
  extension UIButton {
    /// The place of the image of a state.
    public func imagePlace(for state: UIControl.State) -> ImagePlace {
      ImagePlace(
        images: ViewDisplays.images(of: self, named: "image \(state.rawValue)") {
          ButtonImagePlace(state: state)
        })
    }

    /// The place of the background image of a state.
    public func backgroundImagePlace(for state: UIControl.State) -> ImagePlace {
      ImagePlace(
        images: ViewDisplays.images(of: self, named: "background \(state.rawValue)") {
          ButtonBackgroundPlace(state: state)
        })
    }

    /// Shows the picture of a URL as the image of a state. `imagePlace(for:)` takes files, pictures and fetchers too.
    ///
    /// - Returns: whether the picture was there at once.
    @discardableResult
    public func setImage(
      from url: URL?, for state: UIControl.State, placeholder: DisplayPlaceholder? = nil,
      failureImage: Picture? = nil, format: CacheFormat? = nil, processors: [any ImageProcessing] = [],
      transition: DisplayTransition? = nil, success: ((ImageResponse) -> Void)? = nil,
      failure: ((ImageError) -> Void)? = nil
    ) -> Bool {
      imagePlace(for: state).setImage(
        from: url, placeholder: placeholder, failureImage: failureImage, format: format,
        processors: processors,
        transition: transition, success: success, failure: failure)
    }

    /// Shows the picture of a URL as the background image of a state. `backgroundImagePlace(for:)` takes files,
    /// pictures and fetchers too.
    ///
    /// - Returns: whether the picture was there at once.
    @discardableResult
    public func setBackgroundImage(
      from url: URL?, for state: UIControl.State, placeholder: DisplayPlaceholder? = nil,
      failureImage: Picture? = nil, format: CacheFormat? = nil, processors: [any ImageProcessing] = [],
      transition: DisplayTransition? = nil, success: ((ImageResponse) -> Void)? = nil,
      failure: ((ImageError) -> Void)? = nil
    ) -> Bool {
      backgroundImagePlace(for: state).setImage(
        from: url, placeholder: placeholder, failureImage: failureImage, format: format,
        processors: processors,
        transition: transition, success: success, failure: failure)
    }

    /// Cancels the load of the image of a state. The button keeps its image.
    public func cancelSetImage(for state: UIControl.State) {
      imagePlace(for: state).cancelSetImage()
    }

    /// Cancels the load of the background image of a state. The button keeps its background.
    public func cancelSetBackgroundImage(for state: UIControl.State) {
      backgroundImagePlace(for: state).cancelSetImage()
    }
  }

  private struct ButtonImagePlace: ViewPlace {
    let state: UIControl.State

    func size(in view: UIView) -> CGSize {
      guard let insets = (view as? UIButton)?.configuration?.contentInsets else { return view.bounds.size }
      return CGSize(
        width: max(0, view.bounds.width - insets.leading - insets.trailing),
        height: max(0, view.bounds.height - insets.top - insets.bottom))
    }

    func mode(in view: UIView) -> ScaleMode {
      guard let button = view as? UIButton, button.contentHorizontalAlignment == .fill,
        button.contentVerticalAlignment == .fill
      else { return .aspectFit }
      return .fill
    }

    func setImage(_ image: UIImage?, of view: UIView) { (view as? UIButton)?.setImage(image, for: state) }
  }

  private struct ButtonBackgroundPlace: ViewPlace {
    let state: UIControl.State

    func size(in view: UIView) -> CGSize { view.bounds.size }

    func mode(in view: UIView) -> ScaleMode { .fill }

    func setImage(_ image: UIImage?, of view: UIView) {
      (view as? UIButton)?.setBackgroundImage(image, for: state)
    }
  }
#endif
