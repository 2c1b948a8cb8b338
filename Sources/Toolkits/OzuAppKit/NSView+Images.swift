#if canImport(AppKit) && !targetEnvironment(macCatalyst)
  import AppKit
  import Ozu

  /// Every image view can be given a picture:
  ///
  /// ```swift
  /// imageView.ozu.setImage(from: url)
  /// ```
  ///
  /// Pictures are loaded in the size of the view's bounds, in pixels of its screen, and in the mode of its `imageScaling`. With
  /// `scaleNone` pictures keep their own size. A change of `imageScaling` counts from the next layout on.
  ///
  /// A view to which Auto Layout gives no size, or no height, takes it from its picture: the picture is then loaded in its own size, or as
  /// wide as the view.
  extension NSImageView {
    /// Loads and shows pictures.
    public var ozu: ImagePlace {
      ImagePlace(images: ViewDisplays.images(of: self, named: "image") { ImageViewPlace() })
    }
  }

  /// Every button can be given a picture as its image, resized to the button, or smaller if its title needs room:
  ///
  /// ```swift
  /// button.ozu.setImage(from: url)
  /// button.ozu.alternateImage.setImage(from: otherURL)
  /// ```
  extension NSButton {
    /// Loads and shows pictures.
    public var ozu: ButtonImagePlaces { ButtonImagePlaces(button: self) }

    /// The place of the image that the button shows while it is on.
    @available(*, deprecated, renamed: "ozu.alternateImage")
    public var alternateImagePlace: ImagePlace { ozu.alternateImage }
  }

  /// The places of a button that show pictures; itself that of the image.
  @MainActor
  public struct ButtonImagePlaces: ImagePresenting {
    let button: NSButton

    /// The binding of the button's image: it loads and shows pictures.
    public var images: ImageBinding {
      ViewDisplays.images(of: button, named: "image") { ButtonPlace(isAlternate: false) }
    }

    /// The place of the image that the button shows while it is on.
    public var alternateImage: ImagePlace {
      ImagePlace(
        images: ViewDisplays.images(of: button, named: "alternate") { ButtonPlace(isAlternate: true) })
    }
  }

  @available(*, deprecated, message: "write 'ozu' before the call, as in 'view.ozu.setImage(from: url)'")
  extension NSImageView: UnprefixedImagePresenting {}

  @available(*, deprecated, message: "write 'ozu' before the call, as in 'button.ozu.setImage(from: url)'")
  extension NSButton: UnprefixedImagePresenting {}

  private struct ImageViewPlace: ViewPlace {
    var takesSizeOfPicture: Bool { true }

    func contentSize(in view: NSView) -> CGSize? { (view as? NSImageView)?.image?.size }

    func mode(in view: NSView) -> ScaleMode {
      (view as? NSImageView).map { ScaleMode($0.imageScaling) } ?? .none
    }

    func setImage(_ image: NSImage?, of view: NSView) { (view as? NSImageView)?.image = image }
  }

  private struct ButtonPlace: ViewPlace {
    let isAlternate: Bool

    func mode(in view: NSView) -> ScaleMode {
      (view as? NSButton).map { ScaleMode($0.imageScaling) } ?? .none
    }

    func setImage(_ image: NSImage?, of view: NSView) {
      guard let button = view as? NSButton else { return }
      if isAlternate { button.alternateImage = image } else { button.image = image }
    }
  }

  extension ScaleMode {
    init(_ scaling: NSImageScaling) {
      switch scaling {
      case .scaleProportionallyDown, .scaleProportionallyUpOrDown: self = .aspectFit
      case .scaleAxesIndependently: self = .fill
      case .scaleNone: self = .none
      @unknown default: self = .none
      }
    }
  }
#endif
