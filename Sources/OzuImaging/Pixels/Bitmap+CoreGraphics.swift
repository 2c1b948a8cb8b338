#if canImport(CoreGraphics)
  import CoreGraphics
  import Foundation

  extension Bitmap {
    /// The pixels as an image of Core Graphics, which shows them where they are: nothing is copied.
    ///
    /// The image keeps the memory. Colours are tagged as `colorSpace` says; those of a profile that Core Graphics does
    /// not have by name count as sRGB here, `Picture.cgImage` knows better.
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
      // The provider holds one reference to the owner of the bytes, and its callback gives it back.
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
        bitmapInfo: CGBitmapInfo(rawValue: format.layout), provider: provider,
        decode: nil, shouldInterpolate: true, intent: .defaultIntent)
    }

    /// Draws an image of Core Graphics into memory of our own.
    ///
    /// - Parameters:
    ///   - image: any image; its colours are converted.
    ///   - size: the size in pixels to draw it at; `nil` (the default) for its own.
    ///   - isOpaque: whether every pixel is known to be opaque; `nil` (the default) to go by the image.
    /// - Returns: `nil` for an image without pixels, and for one that Core Graphics cannot draw.
    /// - Complexity: O(pixels).
    public init?(
      _ image: CGImage, size: PixelSize? = nil, isOpaque: Bool? = nil, pool: PixelBufferPool = .shared
    ) {
      self.init(
        image, size: size, format: .bgra8, isOpaque: isOpaque, space: nil, tag: .sRGB, pool: pool)
    }

    /// Draws an image, its colours brought to a space; `nil` for sRGB, or shades of grey for `gray8`.
    ///
    /// - Parameter tag: what the space is called.
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
          // The context is gone before the closure returns: it does not keep the memory.
          let context = CGContext(
            data: bytes.baseAddress, width: size.width, height: size.height,
            bitsPerComponent: format.bitsPerComponent, bytesPerRow: bytesPerRow, space: space,
            bitmapInfo: format.layout)
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

    /// The order of the components in the words of Core Graphics; Apple's machines are little-endian.
    fileprivate var layout: UInt32 {
      switch self {
      case .bgra8: CGImageAlphaInfo.premultipliedFirst.rawValue | CGBitmapInfo.byteOrder32Little.rawValue
      case .rgba16: CGImageAlphaInfo.premultipliedLast.rawValue | CGBitmapInfo.byteOrder16Little.rawValue
      case .gray8: CGImageAlphaInfo.none.rawValue
      }
    }
  }

  extension CGImage {
    /// Whether no pixel can be transparent.
    package var isOpaque: Bool {
      switch alphaInfo {
      case .none, .noneSkipFirst, .noneSkipLast: true
      default: false
      }
    }
  }

  extension ColorSpaceTag {
    /// Rec. 2100 with the PQ curve, of pictures that have parts brighter than white.
    package static let perceptualQuantizer = ColorSpaceTag.coded(primaries: 9, transfer: 16)
  }

  extension CGColorSpace {
    /// The space that a tag means; `nil` for one that is not known by name.
    static func named(_ tag: ColorSpaceTag) -> CGColorSpace? {
      switch tag {
      case .sRGB: CGColorSpace(name: CGColorSpace.sRGB)
      case .icc(let name): known[name].flatMap { CGColorSpace(name: NSString(string: $0) as CFString) }
      case .perceptualQuantizer: CGColorSpace(name: CGColorSpace.itur_2100_PQ)
      case .encoded, .coded: nil
      }
    }

    /// The usual profiles by the names that they give themselves, and what Core Graphics calls them.
    private static let known = [
      "sRGB IEC61966-2.1": CGColorSpace.sRGB as NSString as String,
      "Display P3": CGColorSpace.displayP3 as NSString as String,
      "Adobe RGB (1998)": CGColorSpace.adobeRGB1998 as NSString as String,
      "ROMM RGB": CGColorSpace.rommrgb as NSString as String,
    ]
  }
#endif
