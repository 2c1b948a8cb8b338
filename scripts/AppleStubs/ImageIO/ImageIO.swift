// Reading and writing image files.

@_exported import CoreGraphics

public class CGImageSource {}
public class CGImageDestination {}

public enum CGImageSourceStatus: Int32, @unchecked Sendable {
  case statusUnexpectedEOF = -5
  case statusInvalidData = -4
  case statusUnknownType = -3
  case statusReadingHeader = -2
  case statusIncomplete = -1
  case statusComplete = 0
}

public func CGImageSourceCreateWithData(_ data: CFData, _ options: CFDictionary?) -> CGImageSource? {
  fatalError()
}
public func CGImageSourceCreateIncremental(_ options: CFDictionary?) -> CGImageSource { fatalError() }
public func CGImageSourceUpdateData(_ isrc: CGImageSource, _ data: CFData, _ final: Bool) { fatalError() }
public func CGImageSourceGetStatus(_ isrc: CGImageSource) -> CGImageSourceStatus { fatalError() }
public func CGImageSourceGetStatusAtIndex(_ isrc: CGImageSource, _ index: Int) -> CGImageSourceStatus {
  fatalError()
}
public func CGImageSourceGetCount(_ isrc: CGImageSource) -> Int { fatalError() }
public func CGImageSourceGetPrimaryImageIndex(_ isrc: CGImageSource) -> Int { fatalError() }
public func CGImageSourceGetType(_ isrc: CGImageSource) -> CFString? { fatalError() }
public func CGImageSourceCopyTypeIdentifiers() -> CFArray { fatalError() }
public func CGImageSourceCopyProperties(_ isrc: CGImageSource, _ options: CFDictionary?) -> CFDictionary? {
  fatalError()
}
public func CGImageSourceCopyPropertiesAtIndex(
  _ isrc: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CFDictionary? {
  fatalError()
}
public func CGImageSourceCreateImageAtIndex(
  _ isrc: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CGImage? {
  fatalError()
}
public func CGImageSourceCreateThumbnailAtIndex(
  _ isrc: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CGImage? {
  fatalError()
}

public func CGImageDestinationCopyTypeIdentifiers() -> CFArray { fatalError() }
public func CGImageDestinationCreateWithData(
  _ data: CFMutableData, _ type: CFString, _ count: Int, _ options: CFDictionary?
) -> CGImageDestination? {
  fatalError()
}
public func CGImageDestinationAddImage(
  _ idst: CGImageDestination, _ image: CGImage, _ properties: CFDictionary?
) {
  fatalError()
}
public func CGImageDestinationFinalize(_ idst: CGImageDestination) -> Bool { fatalError() }

// Keys. Computed here: a global that is not Sendable could not be stored.

public var kCGImageSourceShouldCache: CFString { fatalError() }
public var kCGImageSourceShouldCacheImmediately: CFString { fatalError() }
public var kCGImageSourceTypeIdentifierHint: CFString { fatalError() }
public var kCGImageSourceCreateThumbnailFromImageAlways: CFString { fatalError() }
public var kCGImageSourceCreateThumbnailWithTransform: CFString { fatalError() }
public var kCGImageSourceThumbnailMaxPixelSize: CFString { fatalError() }
public var kCGImagePropertyPixelWidth: CFString { fatalError() }
public var kCGImagePropertyPixelHeight: CFString { fatalError() }
public var kCGImagePropertyOrientation: CFString { fatalError() }
public var kCGImagePropertyDepth: CFString { fatalError() }
public var kCGImagePropertyColorModel: CFString { fatalError() }
public var kCGImagePropertyColorModelGray: CFString { fatalError() }
public var kCGImagePropertyColorModelCMYK: CFString { fatalError() }
public var kCGImagePropertyHasAlpha: CFString { fatalError() }
public var kCGImagePropertyIsIndexed: CFString { fatalError() }
public var kCGImagePropertyProfileName: CFString { fatalError() }
public var kCGImagePropertyDPIWidth: CFString { fatalError() }
public var kCGImagePropertyExifDictionary: CFString { fatalError() }
public var kCGImagePropertyExifDateTimeOriginal: CFString { fatalError() }
public var kCGImagePropertyTIFFDictionary: CFString { fatalError() }
public var kCGImagePropertyTIFFMake: CFString { fatalError() }
public var kCGImagePropertyTIFFModel: CFString { fatalError() }
public var kCGImagePropertyJFIFDictionary: CFString { fatalError() }
public var kCGImagePropertyJFIFIsProgressive: CFString { fatalError() }
public var kCGImagePropertyGIFDictionary: CFString { fatalError() }
public var kCGImagePropertyPNGDictionary: CFString { fatalError() }
public var kCGImagePropertyWebPDictionary: CFString { fatalError() }
public var kCGImagePropertyHEICSDictionary: CFString { fatalError() }
public var kCGImagePropertyAVISDictionary: CFString { fatalError() }
public var kCGImagePropertyAPNGUnclampedDelayTime: CFString { fatalError() }
public var kCGImagePropertyAPNGDelayTime: CFString { fatalError() }
public var kCGImagePropertyAPNGLoopCount: CFString { fatalError() }
public var kCGImagePropertyWebPUnclampedDelayTime: CFString { fatalError() }
public var kCGImagePropertyWebPDelayTime: CFString { fatalError() }
public var kCGImagePropertyWebPLoopCount: CFString { fatalError() }
public var kCGImagePropertyHEICSUnclampedDelayTime: CFString { fatalError() }
public var kCGImagePropertyHEICSDelayTime: CFString { fatalError() }
public var kCGImagePropertyHEICSLoopCount: CFString { fatalError() }
public var kCGImagePropertyPNGInterlaceType: CFString { fatalError() }
public var kCGImageDestinationLossyCompressionQuality: CFString { fatalError() }
