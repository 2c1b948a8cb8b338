#if canImport(AppKit)
  import AppKit
  import Ozu

  /// Every image view can be given a picture:
  ///
  /// ```swift
  /// imageView.setImage(from: url)
  /// ```
  ///
  /// The size is that of its bounds in the pixels of its screen, the mode its `imageScaling`; with `scaleNone` pictures
  /// keep their own size. A change of `imageScaling` counts from the next layout on.
  extension NSImageView: ImagePresenting {
    /// What puts pictures into the view.
    public var images: ImageBinding {
      ViewDisplays.display(of: self, named: "image") { ImageViewPlace() }.images
    }
  }

  /// Every button can be given a picture as its image, brought to the button's size, or less where its title needs the
  /// room:
  ///
  /// ```swift
  /// button.setImage(from: url)
  /// button.alternateImagePlace.setImage(from: otherURL)
  /// ```
  extension NSButton: ImagePresenting {
    /// What puts pictures into the button's image.
    public var images: ImageBinding {
      ViewDisplays.display(of: self, named: "image") { ButtonPlace(isAlternate: false) }.images
    }

    /// The place of the image that the button shows while it is on.
    public var alternateImagePlace: ImagePlace {
      let display = ViewDisplays.display(of: self, named: "alternate") { ButtonPlace(isAlternate: true) }
      return ImagePlace(images: display.images)
    }
  }

  /// One of the places of a view that has several.
  @MainActor
  public struct ImagePlace: ImagePresenting {
    /// What puts pictures into the place.
    public let images: ImageBinding
  }

  private struct ImageViewPlace: ViewPlace {
    func mode(in view: NSView) -> ScaleMode {
      (view as? NSImageView).map { ScaleMode($0.imageScaling) } ?? .none
    }

    func allowsUpscaling(in view: NSView) -> Bool {
      (view as? NSImageView)?.imageScaling != .scaleProportionallyDown
    }

    func setImage(_ image: NSImage?, of view: NSView) { (view as? NSImageView)?.image = image }
  }

  private struct ButtonPlace: ViewPlace {
    let isAlternate: Bool

    func mode(in view: NSView) -> ScaleMode {
      (view as? NSButton).map { ScaleMode($0.imageScaling) } ?? .none
    }

    func allowsUpscaling(in view: NSView) -> Bool { false }

    func setImage(_ image: NSImage?, of view: NSView) {
      guard let button = view as? NSButton else { return }
      if isAlternate { button.alternateImage = image } else { button.image = image }
    }
  }

  extension ScaleMode {
    /// What an image scaling is in the words of Ozu.
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
