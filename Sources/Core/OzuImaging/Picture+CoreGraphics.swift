#if canImport(CoreGraphics)
  import CoreGraphics
  import Foundation

  extension Picture {
    /// The picture as an image of Core Graphics, which shares the memory of the pixels: nothing is copied.
    ///
    /// Pixels that were kept in the colours of their file (`ColorPolicy.keep`) are tagged with the file's profile.
    ///
    /// - Complexity: O(1).
    public var cgImage: CGImage? {
      guard bitmap.format != .gray8, case .icc = bitmap.colorSpace,
        case .profile(let profile)? = header?.colorEncoding,
        let space = CGColorSpace(iccData: profile.data.coreFoundation), space.model == .rgb
      else { return bitmap.cgImage }
      return bitmap.cgImage(in: space)
    }

    /// Makes a picture from an image of Core Graphics. The pixels are drawn into memory of the pool.
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
