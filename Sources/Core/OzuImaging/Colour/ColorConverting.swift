/// The treatment of colours that are not sRGB.
public enum ColorPolicy: Hashable, Sendable {
  /// They are converted to sRGB, so that they look right where they are shown without colour management.
  ///
  /// Pictures of high dynamic range (PQ and HLG of ITU-R BT.2100) are tone-mapped for a display that shows nothing
  /// brighter than white. Hues are kept, and wide colours are mapped smoothly into sRGB. Little CMS converts ICC
  /// profiles by relative colorimetric with black-point compensation: white stays white, the darkest colour of the
  /// profile becomes black, and the rendering intent that the file names is ignored.
  case convertToSRGB
  /// They stay as stored, and `Bitmap.colorSpace` says what they are.
  case keep
  /// Colours under an ICC profile for red, green and blue stay as stored, and `Bitmap.colorSpace` has the profile.
  /// Others are converted to sRGB. For files that are written with the profile.
  case keepProfile
  /// Colours stay as stored, in all bits that the file has, if a written file can say what they are: an ICC profile
  /// for red, green and blue, or primaries and a transfer function by their numbers in ITU-T H.273, as in pictures
  /// of high dynamic range. `Bitmap.colorSpace` then has the profile or the numbers. Others are converted to sRGB.
  case keepForFile

  /// The default of pipelines on this platform.
  package static var standard: ColorPolicy {
    #if canImport(CoreGraphics)
      .keepProfile
    #else
      .convertToSRGB
    #endif
  }

  /// The pixel formats that a pipeline asks for under this policy.
  package var pixelFormats: PixelFormatPolicy {
    switch self {
    case .keep, .keepForFile: .asStored
    case .convertToSRGB, .keepProfile: .bgra8
    }
  }

  /// Whether the colours of a file are converted. CMYK always is.
  package func converts(_ header: ImageHeader) -> Bool {
    switch self {
    case .convertToSRGB: return true
    case .keep: return false
    case .keepProfile, .keepForFile:
      if self == .keepForFile, case .coded? = header.colorEncoding { return header.colorModel == .cmyk }
      guard case .profile(let profile)? = header.colorEncoding else { return true }
      let isColored = header.colorModel == .rgb || header.colorModel == .indexed
      return !(isColored && profile.isForRGB)
    }
  }
}

/// Converts pixels to sRGB.
public protocol ColorConverting: Sendable {
  /// The picture in sRGB.
  ///
  /// - Parameters:
  ///   - bitmap: the picture, its colours as stored.
  ///   - encoding: the colour encoding of the file.
  ///   - colorModel: the colour model of the file; the pixels are BGRA in any case.
  /// - Returns: a bitmap of the same size; `nil` if the encoding is broken or does not fit the pixels.
  func convertToSRGB(
    _ bitmap: Bitmap, from encoding: ColorEncoding, colorModel: ImageHeader.ColorModel, pool: PixelBufferPool
  ) -> Bitmap?

  /// Whether pixels of more than 8 bits are converted before they are rounded to 8 bits, because the shadows need
  /// more. `false` by default.
  func needsWidePixels(for encoding: ColorEncoding, colorModel: ImageHeader.ColorModel) -> Bool
}

extension ColorConverting {
  /// Returns `false`: 8 bits are enough.
  public func needsWidePixels(for encoding: ColorEncoding, colorModel: ImageHeader.ColorModel) -> Bool {
    false
  }
}
