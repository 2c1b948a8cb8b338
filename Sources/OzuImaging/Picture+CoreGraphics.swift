#if canImport(CoreGraphics)
  import CoreGraphics
  import Foundation

  extension Picture {
    /// The picture as an image of Core Graphics, which shows the pixels where they are: nothing is copied.
    ///
    /// Pixels that were kept in the colours of their file (`ColorPolicy.keep`) are tagged with its profile.
    ///
    /// - Complexity: O(1).
    public var cgImage: CGImage? {
      guard bitmap.format != .gray8, case .icc = bitmap.colorSpace,
        case .profile(let profile)? = header?.colorEncoding,
        let space = CGColorSpace(iccData: NSData(data: profile.data) as CFData), space.model == .rgb
      else { return bitmap.cgImage }
      return bitmap.cgImage(in: space)
    }

    /// Makes a picture of an image of Core Graphics, whose pixels are drawn into memory of our own.
    ///
    /// - Parameter scale: how many pixels make a point.
    /// - Returns: `nil` for an image without pixels, and for one that Core Graphics cannot draw.
    /// - Complexity: O(pixels).
    public init?(_ image: CGImage, scale: Double = 1) {
      guard let bitmap = Bitmap(image) else { return nil }
      self.init(bitmap, scale: scale)
    }
  }
#endif
