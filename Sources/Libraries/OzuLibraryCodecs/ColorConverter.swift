import CCodecs
import OzuCodecs
import OzuImaging

/// Converts to sRGB through Little CMS: relative colorimetric with black-point compensation.
///
/// White stays white: paper becomes 255, 255, 255. The darkest colour of a profile becomes black (ISO 18619), as in
/// Photoshop by default; without that, the black of a printed photograph is a dark grey. Profiles whose black is
/// already black, such as all profiles that consist of curves and a matrix, are converted without it. The rendering
/// intent that a file or its profile names is ignored. If a profile has no colorimetric table, its perceptual table
/// is used.
public struct ColorConverter: ColorConverting {
  /// Makes a converter. All converters share one cache of transforms.
  public init() {}

  /// The picture in sRGB.
  ///
  /// Colours are divided by alpha before the conversion and multiplied after it. 16 bits stay 16 bits.
  ///
  /// - Complexity: O(pixels). The first picture with a profile also pays for the transform: some milliseconds, or a
  ///   tenth of a second for a profile with tables.
  public func convertToSRGB(
    _ bitmap: Bitmap, from encoding: ColorEncoding, colorModel: ImageHeader.ColorModel, pool: PixelBufferPool
  ) -> Bitmap? {
    if bitmap.format == .rgba16,
      let result = Self.deep(bitmap, from: encoding, model: colorModel, pool: pool)
    {
      return result
    }
    let bitmap = bitmap.converted(to: .bgra8, pool: pool)
    guard let transform = transform(encoding, colorModel) else { return nil }
    if transform.isIdentity { return bitmap.withColorSpace(.sRGB) }
    let width = bitmap.size.width
    return Bitmap(size: bitmap.size, isOpaque: bitmap.isOpaque, pool: pool) { target, bytesPerRow in
      bitmap.withUnsafeBytes { source in
        // Rows lie inside the bytes of both bitmaps, and each scratch block holds one row.
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
            transform.apply(
              UnsafeRawBufferPointer(start: gray, count: width),
              to: UnsafeMutableRawBufferPointer(start: result, count: width * 4), count: width)
            for x in 0..<width {
              let alpha = row.load(fromByteOffset: x * 4 + 3, as: UInt8.self)
              result.storeBytes(of: alpha, toByteOffset: x * 4 + 3, as: UInt8.self)
            }
          } else {
            transform.apply(
              UnsafeRawBufferPointer(start: row, count: width * 4),
              to: UnsafeMutableRawBufferPointer(start: result, count: width * 4), count: width)
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

  /// Whether 8 bits are too few for the shadows of the encoding.
  public func needsWidePixels(for encoding: ColorEncoding, colorModel: ImageHeader.ColorModel) -> Bool {
    transform(encoding, colorModel)?.isSteep ?? false
  }

  /// Converts a picture of 16 bits; `nil` if the encoding is broken.
  private static func deep(
    _ bitmap: Bitmap, from encoding: ColorEncoding, model: ImageHeader.ColorModel, pool: PixelBufferPool
  ) -> Bitmap? {
    if ColorTransform.cached(encoding, .BGRA)?.isIdentity ?? false { return bitmap.withColorSpace(.sRGB) }
    let layouts: [OzuColorLayout] = model == .gray ? [.gray16, .RGBA16] : [.RGBA16]
    guard let transform = layouts.lazy.compactMap({ ColorTransform.cached(encoding, $0) }).first
    else { return nil }
    let width = bitmap.size.width
    let isGray = transform.layout == .gray16
    return Bitmap(size: bitmap.size, format: .rgba16, isOpaque: bitmap.isOpaque, pool: pool) {
      target, bytesPerRow in
      bitmap.withUnsafeBytes { source in
        // Rows lie inside the bytes of both bitmaps, and have the same distance.
        guard let from = source.baseAddress, let to = target.baseAddress else { return }
        // One row of colours, and one of their grey values.
        let scratch = UnsafeMutableRawPointer.allocate(byteCount: isGray ? width * 10 : 1, alignment: 16)
        defer { scratch.deallocate() }
        for y in 0..<bitmap.size.height {
          let row = to + y * bytesPerRow
          Premultiplication.undoWide(from + y * bitmap.bytesPerRow, to: row, width: width)
          if isGray {
            convertGray(row, width: width, transform, scratch)
          } else {
            let bytes = UnsafeMutableRawBufferPointer(start: row, count: width * 8)
            transform.apply(UnsafeRawBufferPointer(bytes), to: bytes, count: width)
          }
          Premultiplication.applyWide(to: row, width: width)
        }
      }
    }
  }

  /// Converts a row of RGBA in 16 bits whose colours are grey, and keeps its alpha. The scratch memory has ten
  /// bytes for each pixel.
  private static func convertGray(
    _ row: UnsafeMutableRawPointer, width: Int, _ transform: ColorTransform,
    _ scratch: UnsafeMutableRawPointer
  ) {
    let gray = scratch + width * 8
    for x in 0..<width {
      gray.storeBytes(
        of: row.load(fromByteOffset: x * 8, as: UInt16.self), toByteOffset: x * 2, as: UInt16.self)
    }
    transform.apply(
      UnsafeRawBufferPointer(start: gray, count: width * 2),
      to: UnsafeMutableRawBufferPointer(start: scratch, count: width * 8), count: width)
    for x in 0..<width {
      let alpha = row.load(fromByteOffset: x * 8 + 6, as: UInt16.self)
      scratch.storeBytes(of: alpha, toByteOffset: x * 8 + 6, as: UInt16.self)
    }
    row.copyMemory(from: scratch, byteCount: width * 8)
  }

  /// The transform for the pixels of a file. A grey file has a grey profile, or else one for colours; a CMYK
  /// profile fits neither.
  private func transform(_ encoding: ColorEncoding, _ model: ImageHeader.ColorModel) -> ColorTransform? {
    let layouts: [OzuColorLayout] = model == .gray ? [.gray, .BGRA] : [.BGRA]
    return layouts.lazy.compactMap { ColorTransform.cached(encoding, $0) }.first
  }
}
