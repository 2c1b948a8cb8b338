// Reading and writing image files.

@_exported @_spi(StandIn) import CoreGraphics

public class CGImageSource {
  /// The properties of the pictures in the file, by the fake format of `scripts/imageio-drill`.
  @_spi(StandIn) public let pictures: [[String: Any]]
  @_spi(StandIn) public init(_ pictures: [[String: Any]]) { self.pictures = pictures }
}
public class CGImageDestination {}

/// What was asked of ImageIO, and what its files hold. One thread runs the drill.
@_spi(StandIn) public enum StandIn {
  nonisolated(unsafe) public static var sourceCount = 0
  nonisolated(unsafe) public static var fullCount = 0
  nonisolated(unsafe) public static var thumbnailSides: [Int] = []
  nonisolated(unsafe) public static var encodedAlpha: [CGImageAlphaInfo] = []
  /// The pictures of a file with these bytes.
  nonisolated(unsafe) public static var pictures: (Data) -> [[String: Any]] = { _ in [] }
}

public enum CGImageSourceStatus: Int32, @unchecked Sendable {
  case statusUnexpectedEOF = -5
  case statusInvalidData = -4
  case statusUnknownType = -3
  case statusReadingHeader = -2
  case statusIncomplete = -1
  case statusComplete = 0
}

public func CGImageSourceCreateWithData(_ data: CFData, _ options: CFDictionary?) -> CGImageSource? {
  StandIn.sourceCount += 1
  return CGImageSource(StandIn.pictures(data.data))
}
public func CGImageSourceCreateIncremental(_ options: CFDictionary?) -> CGImageSource { fatalError() }
public func CGImageSourceUpdateData(_ isrc: CGImageSource, _ data: CFData, _ final: Bool) { fatalError() }
public func CGImageSourceGetStatus(_ isrc: CGImageSource) -> CGImageSourceStatus { .statusComplete }
public func CGImageSourceGetStatusAtIndex(_ isrc: CGImageSource, _ index: Int) -> CGImageSourceStatus {
  fatalError()
}
public func CGImageSourceGetCount(_ isrc: CGImageSource) -> Int { isrc.pictures.count }
public func CGImageSourceGetPrimaryImageIndex(_ isrc: CGImageSource) -> Int { 0 }
public func CGImageSourceGetType(_ isrc: CGImageSource) -> CFString? { fatalError() }
public func CGImageSourceCopyTypeIdentifiers() -> CFArray { fatalError() }
public func CGImageSourceCopyProperties(_ isrc: CGImageSource, _ options: CFDictionary?) -> CFDictionary? {
  isrc.pictures.first.map { CFDictionary($0) }
}
public func CGImageSourceCopyPropertiesAtIndex(
  _ isrc: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CFDictionary? {
  CFDictionary(isrc.pictures[index])
}
public func CGImageSourceCreateImageAtIndex(
  _ isrc: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CGImage? {
  StandIn.fullCount += 1
  return isrc.image(index, side: .max)
}
public func CGImageSourceCreateThumbnailAtIndex(
  _ isrc: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CGImage? {
  let side = options?.values[kCGImageSourceThumbnailMaxPixelSize.text] as? Int ?? 0
  StandIn.thumbnailSides.append(side)
  return isrc.image(index, side: side)
}

extension CGImageSource {
  fileprivate func image(_ index: Int, side: Int) -> CGImage? {
    guard let width = pictures[index][kCGImagePropertyPixelWidth.text] as? Int,
      let height = pictures[index][kCGImagePropertyPixelHeight.text] as? Int
    else { return nil }
    let hasAlpha = pictures[index][kCGImagePropertyHasAlpha.text] as? Bool ?? false
    let scale = min(1, Double(side) / Double(max(width, height)))
    return CGImage(
      width: Int(Double(width) * scale), height: Int(Double(height) * scale),
      alphaInfo: hasAlpha ? .premultipliedFirst : .noneSkipFirst)
  }
}

public func CGImageDestinationCopyTypeIdentifiers() -> CFArray { fatalError() }
public func CGImageDestinationCreateWithData(
  _ data: CFMutableData, _ type: CFString, _ count: Int, _ options: CFDictionary?
) -> CGImageDestination? {
  CGImageDestination()
}
public func CGImageDestinationAddImage(
  _ idst: CGImageDestination, _ image: CGImage, _ properties: CFDictionary?
) {
  StandIn.encodedAlpha.append(image.alphaInfo)
}
public func CGImageDestinationFinalize(_ idst: CGImageDestination) -> Bool { true }

// Keys. Computed here: a global that is not Sendable could not be stored.

public var kCGImageSourceShouldCache: CFString { CFString("kCGImageSourceShouldCache") }
public var kCGImageSourceShouldCacheImmediately: CFString { CFString("kCGImageSourceShouldCacheImmediately") }
public var kCGImageSourceTypeIdentifierHint: CFString { CFString("kCGImageSourceTypeIdentifierHint") }
public var kCGImageSourceCreateThumbnailFromImageAlways: CFString {
  CFString("kCGImageSourceCreateThumbnailFromImageAlways")
}
public var kCGImageSourceCreateThumbnailWithTransform: CFString {
  CFString("kCGImageSourceCreateThumbnailWithTransform")
}
public var kCGImageSourceThumbnailMaxPixelSize: CFString { CFString("kCGImageSourceThumbnailMaxPixelSize") }
public var kCGImagePropertyPixelWidth: CFString { CFString("kCGImagePropertyPixelWidth") }
public var kCGImagePropertyPixelHeight: CFString { CFString("kCGImagePropertyPixelHeight") }
public var kCGImagePropertyOrientation: CFString { CFString("kCGImagePropertyOrientation") }
public var kCGImagePropertyDepth: CFString { CFString("kCGImagePropertyDepth") }
public var kCGImagePropertyColorModel: CFString { CFString("kCGImagePropertyColorModel") }
public var kCGImagePropertyColorModelGray: CFString { CFString("kCGImagePropertyColorModelGray") }
public var kCGImagePropertyColorModelCMYK: CFString { CFString("kCGImagePropertyColorModelCMYK") }
public var kCGImagePropertyHasAlpha: CFString { CFString("kCGImagePropertyHasAlpha") }
public var kCGImagePropertyIsIndexed: CFString { CFString("kCGImagePropertyIsIndexed") }
public var kCGImagePropertyProfileName: CFString { CFString("kCGImagePropertyProfileName") }
public var kCGImagePropertyDPIWidth: CFString { CFString("kCGImagePropertyDPIWidth") }
public var kCGImagePropertyExifDictionary: CFString { CFString("kCGImagePropertyExifDictionary") }
public var kCGImagePropertyExifDateTimeOriginal: CFString { CFString("kCGImagePropertyExifDateTimeOriginal") }
public var kCGImagePropertyTIFFDictionary: CFString { CFString("kCGImagePropertyTIFFDictionary") }
public var kCGImagePropertyTIFFMake: CFString { CFString("kCGImagePropertyTIFFMake") }
public var kCGImagePropertyTIFFModel: CFString { CFString("kCGImagePropertyTIFFModel") }
public var kCGImagePropertyJFIFDictionary: CFString { CFString("kCGImagePropertyJFIFDictionary") }
public var kCGImagePropertyJFIFIsProgressive: CFString { CFString("kCGImagePropertyJFIFIsProgressive") }
public var kCGImagePropertyGIFDictionary: CFString { CFString("kCGImagePropertyGIFDictionary") }
public var kCGImagePropertyPNGDictionary: CFString { CFString("kCGImagePropertyPNGDictionary") }
public var kCGImagePropertyWebPDictionary: CFString { CFString("kCGImagePropertyWebPDictionary") }
public var kCGImagePropertyHEICSDictionary: CFString { CFString("kCGImagePropertyHEICSDictionary") }
public var kCGImagePropertyAVISDictionary: CFString { CFString("kCGImagePropertyAVISDictionary") }
public var kCGImagePropertyAPNGUnclampedDelayTime: CFString {
  CFString("kCGImagePropertyAPNGUnclampedDelayTime")
}
public var kCGImagePropertyAPNGDelayTime: CFString { CFString("kCGImagePropertyAPNGDelayTime") }
public var kCGImagePropertyAPNGLoopCount: CFString { CFString("kCGImagePropertyAPNGLoopCount") }
public var kCGImagePropertyWebPUnclampedDelayTime: CFString {
  CFString("kCGImagePropertyWebPUnclampedDelayTime")
}
public var kCGImagePropertyWebPDelayTime: CFString { CFString("kCGImagePropertyWebPDelayTime") }
public var kCGImagePropertyWebPLoopCount: CFString { CFString("kCGImagePropertyWebPLoopCount") }
public var kCGImagePropertyHEICSUnclampedDelayTime: CFString {
  CFString("kCGImagePropertyHEICSUnclampedDelayTime")
}
public var kCGImagePropertyHEICSDelayTime: CFString { CFString("kCGImagePropertyHEICSDelayTime") }
public var kCGImagePropertyHEICSLoopCount: CFString { CFString("kCGImagePropertyHEICSLoopCount") }
public var kCGImagePropertyPNGInterlaceType: CFString { CFString("kCGImagePropertyPNGInterlaceType") }
public var kCGImageDestinationLossyCompressionQuality: CFString {
  CFString("kCGImageDestinationLossyCompressionQuality")
}
