#if canImport(ImageIO)
  import Foundation
  import ImageIO
  import OzuCodecs
  import OzuImaging

  /// A file that ImageIO has opened. Opening reads only the header.
  struct ImageIOFile {
    static let headerStage = "header"
    static let pixelStage = "pixels"

    let source: CGImageSource
    let type: ImageType

    /// Opens a file.
    ///
    /// - Throws: `corrupt`, `truncated`.
    init(_ data: Data, _ type: ImageType) throws(ImageDecodingError) {
      self.type = type
      var options: [CFString: Any] = [kCGImageSourceShouldCache: false]
      if let name = type.uniformTypeIdentifier { options[kCGImageSourceTypeIdentifierHint] = name }
      guard let source = CGImageSourceCreateWithData(data.coreFoundation, options.coreFoundation)
      else {
        throw .corrupt(type, stage: Self.headerStage, reason: "the system cannot open it")
      }
      self.source = source
      guard CGImageSourceGetCount(source) > 0 else { throw failure(stage: Self.headerStage) }
    }

    /// Uses a source that is already open.
    init(_ source: CGImageSource, _ type: ImageType) {
      self.source = source
      self.type = type
    }

    /// No option but that the system keeps no decoded pixels.
    private static var uncached: [CFString: Any] { [kCGImageSourceShouldCache: false] }

    /// The index of the file's main picture.
    var primaryIndex: Int { CGImageSourceGetPrimaryImageIndex(source) }

    /// The facts about the picture.
    var properties: ImageIOProperties {
      ImageIOProperties(CGImageSourceCopyPropertiesAtIndex(source, primaryIndex, nil))
    }

    var isTruncated: Bool {
      switch CGImageSourceGetStatus(source) {
      case .statusUnexpectedEOF, .statusIncomplete, .statusReadingHeader: true
      default: false
      }
    }

    /// The error for a file from which ImageIO returns nothing.
    func failure(stage: String) -> ImageDecodingError {
      if isTruncated { return .truncated(type, stage: stage) }
      return .corrupt(
        type, stage: stage, reason: "the system reports \(CGImageSourceGetStatus(source).rawValue)")
    }

    // MARK: Header

    var colorModel: ImageHeader.ColorModel {
      if properties[kCGImagePropertyIsIndexed] as? Bool == true { return .indexed }
      let model = properties[kCGImagePropertyColorModel] as? String
      switch model {
      case String(kCGImagePropertyColorModelGray): return .gray
      case String(kCGImagePropertyColorModelCMYK): return .cmyk
      default: return .rgb
      }
    }

    var isProgressive: Bool {
      let jfif = properties.nested(kCGImagePropertyJFIFDictionary)
      if jfif[kCGImagePropertyJFIFIsProgressive] as? Bool == true { return true }
      return properties.nested(kCGImagePropertyPNGDictionary)[kCGImagePropertyPNGInterlaceType] as? Int == 1
    }

    var metadata: PictureMetadata? {
      let exif = properties.nested(kCGImagePropertyExifDictionary)
      let tiff = properties.nested(kCGImagePropertyTIFFDictionary)
      let names = [kCGImagePropertyTIFFMake, kCGImagePropertyTIFFModel].compactMap { tiff[$0] as? String }
      let date = exif[kCGImagePropertyExifDateTimeOriginal] as? String
      guard date != nil || !names.isEmpty else { return nil }
      return PictureMetadata(captureDate: date, camera: names.isEmpty ? nil : names.joined(separator: " "))
    }

    /// The ICC profile of the picture. No pixel is decoded.
    var profile: Data? {
      let image = CGImageSourceCreateImageAtIndex(
        source, primaryIndex, Self.uncached.coreFoundation)
      return image?.colorSpace?.copyICCData().map { Data($0) }
    }

    // MARK: Pixels

    /// One picture of the file at full size.
    func image(at index: Int) -> CGImage? {
      CGImageSourceCreateImageAtIndex(source, index, Self.uncached.coreFoundation)
    }

    /// The picture as stored, decoded no larger than `size`.
    func reduced(to size: PixelSize) -> CGImage? {
      let options: [CFString: Any] = [
        kCGImageSourceCreateThumbnailFromImageAlways: true,
        // Turned upright later, at the size of the result.
        kCGImageSourceCreateThumbnailWithTransform: false,
        kCGImageSourceThumbnailMaxPixelSize: max(size.width, size.height),
        kCGImageSourceShouldCache: false,
      ]
      return CGImageSourceCreateThumbnailAtIndex(source, primaryIndex, options.coreFoundation)
    }

    /// Draws a picture of the file in the colours that the policy asks for.
    ///
    /// - Parameter isPartial: whether some of its pixels may still be missing.
    /// - Throws: `corrupt`, `truncated`.
    func draw(
      _ image: CGImage, size: PixelSize, header: ImageHeader, isPartial: Bool = false,
      context: DecodingContext
    ) throws(ImageDecodingError) -> Bitmap {
      let format = header.pixelFormat(under: context.pixelFormats)
      var space: CGColorSpace?
      var tag = ColorSpaceTag.sRGB
      if !context.colorPolicy.converts(header), format != .gray8, header.colorEncoding != nil,
        let own = image.colorSpace,
        own.model == .rgb, own.supportsOutput
      {
        if format == .rgba16, CGColorSpaceUsesITUR_2100TF(own) {
          // Values brighter than white are kept. HLG becomes PQ too, because PQ says how bright each value is.
          (space, tag) = (CGColorSpace(name: CGColorSpace.itur_2100_PQ), .perceptualQuantizer)
        } else {
          (space, tag) = (own, .icc(name: header.colorProfileName ?? header.colorEncoding?.name ?? ""))
        }
      }
      let isOpaque: Bool? = isPartial ? false : header.hasAlpha ? nil : true
      let bitmap = Bitmap(
        image, size: size, format: format, isOpaque: isOpaque, space: space, tag: tag, pool: context.pool)
      if let bitmap { return bitmap }
      // Core Graphics does not draw into 16 bits of every space. Eight bits still make a picture; they cannot hold values brighter
      // than white, so PQ is converted to sRGB.
      guard format == .rgba16 else { throw failure(stage: Self.pixelStage) }
      let isBright = tag == .perceptualQuantizer
      let narrow = Bitmap(
        image, size: size, format: .bgra8, isOpaque: isOpaque, space: isBright ? nil : space,
        tag: isBright ? .sRGB : tag, pool: context.pool)
      guard let narrow else { throw failure(stage: Self.pixelStage) }
      return narrow
    }
  }

  /// A dictionary of ImageIO, which may contain others.
  struct ImageIOProperties {
    private let values: [String: Any]

    init(_ values: CFDictionary?) { self.init(values.map { [String: Any]($0) } ?? [:]) }

    private init(_ values: [String: Any]) { self.values = values }

    subscript(key: CFString) -> Any? { values[String(key)] }

    func nested(_ key: CFString) -> ImageIOProperties {
      ImageIOProperties(self[key] as? [String: Any] ?? [:])
    }
  }
#endif
