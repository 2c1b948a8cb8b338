#if canImport(AppKit) && !targetEnvironment(macCatalyst)
  import AppKit
  import Ozu

  extension Picture {
    /// The picture for AppKit, which uses the same pixels without a copy. `nil` when Core Graphics cannot show them.
    ///
    /// For an animation it is the first frame; `setImage(from:)` of a view plays animations.
    ///
    /// - Complexity: O(1).
    public var nsImage: NSImage? { cgImage.map { NSImage(cgImage: $0, size: size, scale: scale) } }
  }

  extension NSImage: FailureImage {
    /// The image as the content of a view, which shows it as it is.
    public var ozuContent: DisplayContent { .toolkitImage(ToolkitImage(HeldImage(image: self))) }
  }

  extension DisplayPlaceholder {
    /// An image of AppKit, shown as it is: a symbol keeps its tint, and an asset its variant for dark appearance.
    public static func image(_ image: NSImage?) -> DisplayPlaceholder {
      image.map { .toolkitImage(ToolkitImage(HeldImage(image: $0))) } ?? .nothing
    }
  }

  extension ToolkitImage {
    package var nsImage: NSImage? { (image as? HeldImage)?.image }
  }

  /// An image on its way to a view. Ozu never draws or changes it; the view reads it on the main actor.
  private struct HeldImage: @unchecked Sendable {
    let image: NSImage
  }

  extension DisplayContent {
    /// The image to show on a screen with a scale in pixels per point.
    func nsImage(scale: Double) -> NSImage? {
      if case .toolkitImage(let own) = self { return own.nsImage }
      guard let cgImage, let bitmap else { return nil }
      return NSImage(cgImage: cgImage, size: bitmap.size, scale: scale)
    }
  }

  extension NSImage {
    fileprivate convenience init(cgImage: CGImage, size: PixelSize, scale: Double) {
      let scale = max(1, scale)
      self.init(
        cgImage: cgImage, size: NSSize(width: Double(size.width) / scale, height: Double(size.height) / scale)
      )
    }
  }
#endif
