import CCodecs
import OzuImaging

/// Converts to sRGB through Little CMS, relative colorimetric.
public struct ColorConverter: ColorConverting {
  /// Makes a converter. All share one store of transforms.
  public init() {}

  /// The picture in sRGB.
  ///
  /// Colours are divided by alpha before and multiplied after. 16 bits stay 16 bits, unless the profile is one for
  /// grey.
  ///
  /// - Complexity: O(pixels); the first picture of a profile pays some milliseconds more for the transform.
  public func convertToSRGB(
    _ bitmap: Bitmap, from encoding: ColorEncoding, colorModel: ImageHeader.ColorModel, pool: PixelBufferPool
  ) -> Bitmap? {
    if bitmap.format == .rgba16,
      let result = Self.deep(bitmap, from: encoding, pool: pool)
    {
      return result
    }
    let bitmap = bitmap.converted(to: .bgra8, pool: pool)
    guard let transform = transform(encoding, colorModel) else { return nil }
    if transform.isIdentity { return bitmap.withColorSpace(.sRGB) }
    let width = bitmap.size.width
    return Bitmap(size: bitmap.size, isOpaque: bitmap.isOpaque, pool: pool) { target, bytesPerRow in
      bitmap.withUnsafeBytes { source in
        // Rows lie inside the bytes of either bitmap, and the scratch rows hold one each.
        guard let from = source.baseAddress, let to = target.baseAddress else { return }
        let straight = UnsafeMutableRawPointer.allocate(byteCount: width * 4, alignment: 16)
        let gray = UnsafeMutableRawPointer.allocate(byteCount: width, alignment: 16)
        defer {
          straight.deallocate()
          gray.deallocate()
        }
        for y in 0..<bitmap.size.height {
          var row = from + y * bitmap.bytesPerRow
          let result = to + y * bytesPerRow
          if !bitmap.isOpaque {
            Premultiplication.undo(row, to: straight, width: width)
            row = UnsafeRawPointer(straight)
          }
          if transform.layout == .gray {
            for x in 0..<width {
              gray.storeBytes(
                of: row.load(fromByteOffset: x * 4, as: UInt8.self), toByteOffset: x, as: UInt8.self)
            }
            transform.apply(gray, to: result, count: width)
            for x in 0..<width {
              let alpha = row.load(fromByteOffset: x * 4 + 3, as: UInt8.self)
              result.storeBytes(of: alpha, toByteOffset: x * 4 + 3, as: UInt8.self)
            }
          } else {
            transform.apply(row, to: result, count: width)
          }
          if bitmap.isOpaque {
            Premultiplication.makeOpaque(result, width: width)
          } else {
            Premultiplication.apply(to: result, width: width)
          }
        }
      }
    }
  }

  /// A picture of 16 bits; `nil` when the encoding is broken, or for grey.
  private static func deep(
    _ bitmap: Bitmap, from encoding: ColorEncoding, pool: PixelBufferPool
  ) -> Bitmap? {
    let store = ColorTransformStore.shared
    if store.transform(encoding, .BGRA)?.isIdentity ?? false { return bitmap.withColorSpace(.sRGB) }
    guard let transform = store.transform(encoding, .RGBA16) else { return nil }
    let width = bitmap.size.width
    return Bitmap(size: bitmap.size, format: .rgba16, isOpaque: bitmap.isOpaque, pool: pool) {
      target, bytesPerRow in
      bitmap.withUnsafeBytes { source in
        // Rows lie inside the bytes of either bitmap, and are as far apart.
        guard let from = source.baseAddress, let to = target.baseAddress else { return }
        for y in 0..<bitmap.size.height {
          let row = to + y * bytesPerRow
          Premultiplication.undoWide(from + y * bitmap.bytesPerRow, to: row, width: width)
          transform.apply(row, to: row, count: width)
          Premultiplication.applyWide(to: row, width: width)
        }
      }
    }
  }

  /// The transform for pixels of a file. A grey file has a grey profile, or else one for colours; a profile for ink
  /// fits neither.
  private func transform(_ encoding: ColorEncoding, _ model: ImageHeader.ColorModel) -> ColorTransform? {
    let layouts: [OzuColorLayout] = model == .gray ? [.gray, .BGRA] : [.BGRA]
    for layout in layouts {
      if let transform = ColorTransformStore.shared.transform(encoding, layout) { return transform }
    }
    return nil
  }
}
