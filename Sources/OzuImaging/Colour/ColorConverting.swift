/// What becomes of colours that are not sRGB.
public enum ColorPolicy: Hashable, Sendable {
  /// They are converted to sRGB: what is shown without colour management looks right.
  ///
  /// Pictures of high dynamic range (PQ and HLG of ITU-R BT.2100) are tone-mapped for a display that has nothing brighter
  /// than white, with hues kept, and their wide colours are brought into sRGB smoothly.
  /// Where Little CMS converts, relative colorimetric with black-point compensation: white stays white, the darkest
  /// colour of an ICC profile becomes black, and the rendering intent that the file names is not heeded.
  case convertToSRGB
  /// They stay as stored, and `Bitmap.colorSpace` says what they mean.
  case keep
  /// They stay as stored under an ICC profile for red, green and blue, which `Bitmap.colorSpace` then names, and are converted
  /// to sRGB otherwise: for files that are written with the profile.
  case keepProfile
  /// They stay as stored, in all the bits that the file has, where a file can say what they mean: under an ICC profile for
  /// red, green and blue, or under primaries and a transfer function by their numbers in ITU-T H.273, as pictures of high
  /// dynamic range have them. `Bitmap.colorSpace` then has the name or the numbers. Others are converted to sRGB.
  case keepForFile

  /// The formats in which a pipeline wants pixels under the policy.
  package var pixelFormats: PixelFormatPolicy {
    switch self {
    case .keep, .keepForFile: .asStored
    case .convertToSRGB, .keepProfile: .bgra8
    }
  }

  /// Whether the colours of a file are converted, those of inks included.
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
  ///   - encoding: what they mean.
  ///   - colorModel: of the file; pixels are BGRA in any case.
  /// - Returns: a bitmap of the same size; `nil` when the encoding is broken, or does not fit the pixels.
  func convertToSRGB(
    _ bitmap: Bitmap, from encoding: ColorEncoding, colorModel: ImageHeader.ColorModel, pool: PixelBufferPool
  ) -> Bitmap?

  /// Whether pixels of more than 8 bits are to be converted before they are cut to 8, because shadows need more.
  /// `false` by default.
  func needsWidePixels(for encoding: ColorEncoding, colorModel: ImageHeader.ColorModel) -> Bool
}

extension ColorConverting {
  /// 8 bits will do.
  public func needsWidePixels(for encoding: ColorEncoding, colorModel: ImageHeader.ColorModel) -> Bool {
    false
  }
}

extension CodecRegistry {
  /// The picture as the policy wants it; with a note, as it is, when its encoding makes no sense.
  func converted(
    _ bitmap: Bitmap, header: ImageHeader, context: DecodingContext, notes: inout [String]
  ) -> Bitmap {
    guard context.colorPolicy.converts(header), bitmap.colorSpace != .sRGB,
      let encoding = header.colorEncoding
    else { return bitmap }
    if let range = HighDynamicRange(encoding) {
      return toneMapped(bitmap, range, header: header, context: context, notes: &notes)
    }
    guard let colorConverter else { return bitmap }
    let result = colorConverter.convertToSRGB(
      bitmap, from: encoding, colorModel: header.colorModel, pool: context.pool)
    if let result, result.size == bitmap.size { return result }
    notes.append("colours are shown as stored: \(encoding.name) cannot be used")
    return bitmap.withColorSpace(.sRGB)
  }

  /// The picture of high dynamic range for a display that has nothing brighter than white, in the format of the context.
  private func toneMapped(
    _ bitmap: Bitmap, _ range: HighDynamicRange, header: ImageHeader, context: DecodingContext,
    notes: inout [String]
  ) -> Bitmap {
    let (peak, doubts) =
      range.transfer == .perceptualQuantizer ? LightLevels.peak(of: header.lightLevels) : (0, [])
    guard let mapping = ToneMappingStore.shared.mapping(range, peak: peak) else {
      notes.append(
        "colours are shown as stored: \(range.name) with primaries \(range.primaries) cannot be used")
      return bitmap.withColorSpace(.sRGB)
    }
    notes += doubts
    notes.append("\(range.name) was tone-mapped to sRGB (ITU-R BT.2390)")
    let format: PixelFormat = context.pixelFormats == .asStored && bitmap.format == .rgba16 ? .rgba16 : .bgra8
    return mapping.convert(bitmap, to: format, pool: context.pool)
  }
}
