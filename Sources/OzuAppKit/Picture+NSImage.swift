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

  extension DisplayContent {
    /// The image to show on a screen with a scale in pixels per point.
    func nsImage(scale: Double) -> NSImage? {
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
