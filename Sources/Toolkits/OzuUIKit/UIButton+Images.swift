#if canImport(UIKit)
  import Ozu
  import UIKit

  /// Buttons have an image and a background image for each of their states:
  ///
  /// ```swift
  /// button.ozu.setImage(from: url, for: .normal)
  /// button.ozu.backgroundImage(for: .highlighted).setImage(fromFile: path)
  /// ```
  ///
  /// An image is resized to fit inside the button without the insets of its configuration, or its edge insets if it has none;
  /// it fills that place if the content is aligned to fill. A background is stretched over the button.
  extension UIButton {
    /// Loads and shows pictures.
    public var ozu: ButtonImagePlaces { ButtonImagePlaces(button: self) }
  }

  /// The places of a button that show pictures.
  @MainActor
  public struct ButtonImagePlaces {
    let button: UIButton

    /// The place of the image of a state.
    public func image(for state: UIControl.State) -> ImagePlace {
      ImagePlace(
        images: ViewDisplays.images(of: button, named: "image \(state.rawValue)") {
          ButtonImagePlace(state: state)
        })
    }

    /// The place of the background image of a state.
    public func backgroundImage(for state: UIControl.State) -> ImagePlace {
      ImagePlace(
        images: ViewDisplays.images(of: button, named: "background \(state.rawValue)") {
          ButtonBackgroundPlace(state: state)
        })
    }

    /// Shows the picture of a URL as the image of a state. `image(for:)` takes files, pictures and fetchers too.
    ///
    /// - Returns: whether the picture was there at once.
    @discardableResult
    public func setImage(
      from url: URL?, for state: UIControl.State, placeholder: DisplayPlaceholder? = nil,
      failureImage: (any FailureImage)? = nil, format: CacheFormat? = nil,
      processors: [any ImageProcessing] = [],
      transition: DisplayTransition? = nil, progress: ((LoadProgress) -> Void)? = nil,
      completion: ((Result<ImageResponse, ImageError>) -> Void)? = nil
    ) -> Bool {
      image(for: state).setImage(
        from: url, placeholder: placeholder, failureImage: failureImage, format: format,
        processors: processors, transition: transition, progress: progress, completion: completion)
    }

    /// Shows the picture of a URL as the background image of a state. `backgroundImage(for:)` takes files, pictures and
    /// fetchers too.
    ///
    /// - Returns: whether the picture was there at once.
    @discardableResult
    public func setBackgroundImage(
      from url: URL?, for state: UIControl.State, placeholder: DisplayPlaceholder? = nil,
      failureImage: (any FailureImage)? = nil, format: CacheFormat? = nil,
      processors: [any ImageProcessing] = [],
      transition: DisplayTransition? = nil, progress: ((LoadProgress) -> Void)? = nil,
      completion: ((Result<ImageResponse, ImageError>) -> Void)? = nil
    ) -> Bool {
      backgroundImage(for: state).setImage(
        from: url, placeholder: placeholder, failureImage: failureImage, format: format,
        processors: processors, transition: transition, progress: progress, completion: completion)
    }
  }

  extension UIButton {
    /// The name of before the prefix `ozu`.
    @available(*, deprecated, renamed: "ozu.image(for:)")
    public func imagePlace(for state: UIControl.State) -> ImagePlace { ozu.image(for: state) }

    /// The name of before the prefix `ozu`.
    @available(*, deprecated, renamed: "ozu.backgroundImage(for:)")
    public func backgroundImagePlace(for state: UIControl.State) -> ImagePlace {
      ozu.backgroundImage(for: state)
    }

    /// The name of before the prefix `ozu`.
    @available(
      *, deprecated, message: "write 'ozu.setImage(from:for:)'; 'ozu.image(for:)' has 'success' and 'failure'"
    )
    @discardableResult
    public func setImage(
      from url: URL?, for state: UIControl.State, placeholder: DisplayPlaceholder? = nil,
      failureImage: (any FailureImage)? = nil, format: CacheFormat? = nil,
      processors: [any ImageProcessing] = [],
      transition: DisplayTransition? = nil, success: ((ImageResponse) -> Void)? = nil,
      failure: ((ImageError) -> Void)? = nil
    ) -> Bool {
      ozu.image(for: state).setImage(
        from: url, placeholder: placeholder, failureImage: failureImage, format: format,
        processors: processors, transition: transition, success: success, failure: failure)
    }

    /// The name of before the prefix `ozu`.
    @available(
      *, deprecated,
      message:
        "write 'ozu.setBackgroundImage(from:for:)'; 'ozu.backgroundImage(for:)' has 'success' and 'failure'"
    )
    @discardableResult
    public func setBackgroundImage(
      from url: URL?, for state: UIControl.State, placeholder: DisplayPlaceholder? = nil,
      failureImage: (any FailureImage)? = nil, format: CacheFormat? = nil,
      processors: [any ImageProcessing] = [],
      transition: DisplayTransition? = nil, success: ((ImageResponse) -> Void)? = nil,
      failure: ((ImageError) -> Void)? = nil
    ) -> Bool {
      ozu.backgroundImage(for: state).setImage(
        from: url, placeholder: placeholder, failureImage: failureImage, format: format,
        processors: processors, transition: transition, success: success, failure: failure)
    }

    /// The name of before the prefix `ozu`.
    @available(*, deprecated, message: "write 'ozu.image(for: state).cancelSetImage()'")
    public func cancelSetImage(for state: UIControl.State) { ozu.image(for: state).cancelSetImage() }

    /// The name of before the prefix `ozu`.
    @available(*, deprecated, message: "write 'ozu.backgroundImage(for: state).cancelSetImage()'")
    public func cancelSetBackgroundImage(for state: UIControl.State) {
      ozu.backgroundImage(for: state).cancelSetImage()
    }
  }

  private struct ButtonImagePlace: ViewPlace {
    let state: UIControl.State

    func size(in view: UIView) -> CGSize {
      guard let button = view as? UIButton else { return view.bounds.size }
      guard let insets = button.configuration?.contentInsets else {
        return [button.insetsWithoutConfiguration.content, button.insetsWithoutConfiguration.image].reduce(
          view.bounds.size
        ) { size, insets in
          CGSize(
            width: max(0, size.width - insets.left - insets.right),
            height: max(0, size.height - insets.top - insets.bottom))
        }
      }
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

  /// The insets of a button without a configuration. UIKit calls them deprecated, because one with a configuration ignores
  /// them, and still follows them; a witness of a protocol may be read without a warning.
  @MainActor
  private protocol EdgeInsetting {
    var contentEdgeInsets: UIEdgeInsets { get }
    var imageEdgeInsets: UIEdgeInsets { get }
  }

  extension UIButton: EdgeInsetting {
    fileprivate var insetsWithoutConfiguration: (content: UIEdgeInsets, image: UIEdgeInsets) {
      let button: any EdgeInsetting = self
      return (button.contentEdgeInsets, button.imageEdgeInsets)
    }
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
