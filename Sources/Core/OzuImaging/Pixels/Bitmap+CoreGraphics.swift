#if canImport(CoreGraphics)
  import CoreGraphics
  import Foundation

  extension Bitmap {
    /// The pixels as an image of Core Graphics, which shares their memory: nothing is copied.
    ///
    /// The image retains the memory. Colours are tagged with `colorSpace`. If Core Graphics has no profile of that
    /// name, they count as sRGB here; `Picture.cgImage` uses the file's profile.
    ///
    /// - Complexity: O(1).
    public var cgImage: CGImage? {
      let name = format == .gray8 ? CGColorSpace.genericGrayGamma2_2 : CGColorSpace.sRGB
      let own = format == .gray8 ? nil : CGColorSpace.named(colorSpace)
      return cgImage(in: own ?? CGColorSpace(name: name))
    }

    func cgImage(in space: CGColorSpace?) -> CGImage? {
      guard let space else { return nil }
      let (bytes, owner) = storage
      guard let start = bytes.baseAddress else { return nil }
      // The provider holds one reference to the owner of the bytes; its callback releases it.
      let held = Unmanaged.passRetained(owner)
      let provider = CGDataProvider(dataInfo: held.toOpaque(), data: start, size: bytes.count) {
        owner, _, _ in
        if let owner { Unmanaged<AnyObject>.fromOpaque(owner).release() }
      }
      guard let provider else {
        held.release()
        return nil
      }
      return CGImage(
        width: size.width, height: size.height, bitsPerComponent: format.bitsPerComponent,
        bitsPerPixel: format.bytesPerPixel * 8, bytesPerRow: bytesPerRow, space: space,
        bitmapInfo: CGBitmapInfo(rawValue: format.layout(isOpaque: isOpaque)), provider: provider,
        decode: nil, shouldInterpolate: true, intent: .defaultIntent)
    }

    /// Draws an image of Core Graphics into memory of the pool.
    ///
    /// - Parameters:
    ///   - image: any image; its colours are converted.
    ///   - size: the size of the bitmap in pixels; `nil` (the default) for the image's own.
    ///   - isOpaque: whether every pixel is known to be opaque; `nil` (the default) to take it from the image.
    ///   - pool: the pool that the memory comes from.
    /// - Returns: `nil` for an image without pixels, and for one that Core Graphics cannot draw.
    /// - Complexity: O(pixels).
    public init?(
      _ image: CGImage, size: PixelSize? = nil, isOpaque: Bool? = nil, pool: PixelBufferPool = .shared
    ) {
      self.init(
        image, size: size, format: .bgra8, isOpaque: isOpaque, space: nil, tag: .sRGB, pool: pool)
    }

    /// Draws an image, with its colours converted to a space; `nil` for sRGB, or for grey if the format is `gray8`.
    ///
    /// - Parameter tag: the tag of the resulting bitmap.
    package init?(
      _ image: CGImage, size: PixelSize?, format: PixelFormat, isOpaque: Bool?, space: CGColorSpace?,
      tag: ColorSpaceTag, pool: PixelBufferPool
    ) {
      let size = size ?? PixelSize(image.width, image.height)
      let usual = format == .gray8 ? CGColorSpace.genericGrayGamma2_2 : CGColorSpace.sRGB
      guard !size.isEmpty, let space = space ?? CGColorSpace(name: usual) else { return nil }
      do throws(DrawingFailure) {
        try self.init(
          size: size, format: format, isOpaque: isOpaque ?? image.isOpaque, colorSpace: tag, pool: pool
        ) { (bytes, bytesPerRow) throws(DrawingFailure) in
          // The context is freed before the closure returns, so it does not keep the memory.
          let context = CGContext(
            data: bytes.baseAddress, width: size.width, height: size.height,
            bitsPerComponent: format.bitsPerComponent, bytesPerRow: bytesPerRow, space: space,
            bitmapInfo: format.layout(isOpaque: false))
          guard let context else { throw DrawingFailure() }
          let place = CGRect(x: 0, y: 0, width: size.width, height: size.height)
          context.clear(place)
          context.interpolationQuality = .high
          context.draw(image, in: place)
        }
      } catch {
        return nil
      }
    }

    private struct DrawingFailure: Error {}
  }

  extension PixelFormat {
    fileprivate var bitsPerComponent: Int { self == .rgba16 ? 16 : 8 }

    /// The order of the components as a constant of Core Graphics; Apple's machines are little-endian.
    ///
    /// Opaque pictures say so, so that layers are not blended and encoders write no alpha. A context that pictures are drawn
    /// into does not: it would leave the fourth byte as it is.
    fileprivate func layout(isOpaque: Bool) -> UInt32 {
      let alpha: CGImageAlphaInfo =
        switch self {
        case .bgra8: isOpaque ? .noneSkipFirst : .premultipliedFirst
        case .rgba16: isOpaque ? .noneSkipLast : .premultipliedLast
        case .gray8: .none
        }
      return switch self {
      case .bgra8: alpha.rawValue | CGBitmapInfo.byteOrder32Little.rawValue
      case .rgba16: alpha.rawValue | CGBitmapInfo.byteOrder16Little.rawValue
      case .gray8: alpha.rawValue
      }
    }
  }

  extension CGImage {
    /// Whether all pixels are opaque.
    package var isOpaque: Bool {
      switch alphaInfo {
      case .none, .noneSkipFirst, .noneSkipLast: true
      default: false
      }
    }
  }

  extension ColorSpaceTag {
    /// Rec. 2100 with the PQ curve, for pictures with parts brighter than white.
    package static let perceptualQuantizer = ColorSpaceTag.coded(primaries: 9, transfer: 16)
  }

  extension CGColorSpace {
    /// The colour space of a tag; `nil` if Core Graphics has none of this name.
    static func named(_ tag: ColorSpaceTag) -> CGColorSpace? {
      switch tag {
      case .sRGB: CGColorSpace(name: CGColorSpace.sRGB)
      case .icc(let name): known[name].flatMap { CGColorSpace(name: $0.coreFoundation) }
      case .perceptualQuantizer: CGColorSpace(name: CGColorSpace.itur_2100_PQ)
      case .encoded, .coded: nil
      }
    }

    /// The usual profiles: their own names, and their names in Core Graphics.
    private static let known = [
      "sRGB IEC61966-2.1": String(CGColorSpace.sRGB),
      "Display P3": String(CGColorSpace.displayP3),
      "Adobe RGB (1998)": String(CGColorSpace.adobeRGB1998),
      "ROMM RGB": String(CGColorSpace.rommrgb),
    ]
  }
#endif
