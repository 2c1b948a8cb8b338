// Pictures, colour spaces and contexts. None of the classes is Sendable here.

@_exported import Foundation

// Opaque, as the SDK declares them: they have no members, and no conversion but `as`, which is in one file (Bridging.swift).
// What is `@_spi` is for that file and for `scripts/imageio-drill`, which runs the codecs of ImageIO with these stand-ins; what
// it does not need has no body.

public class CFString: Hashable {
  @_spi(StandIn) public let text: String
  @_spi(StandIn) public init(_ text: String) { self.text = text }
  public static func == (one: CFString, other: CFString) -> Bool { one.text == other.text }
  public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

public class CFData {
  @_spi(StandIn) public let data: Data
  @_spi(StandIn) public init(_ data: Data) { self.data = data }
}
public class CFMutableData: CFData {}
public class CFDictionary {
  @_spi(StandIn) public let values: [String: Any]
  @_spi(StandIn) public init(_ values: [String: Any]) { self.values = values }
}
public class CFArray {
  @_spi(StandIn) public let elements: [String]
  @_spi(StandIn) public init(_ elements: [String]) { self.elements = elements }
}

public class CGColorSpace {
  private let ownName: CFString

  public init?(name: CFString) { ownName = name }
  public init?(iccData: CFData) { fatalError() }

  public var name: CFString? { ownName }
  public var model: CGColorSpaceModel { .rgb }
  public var supportsOutput: Bool { true }
  public func copyICCData() -> CFData? { nil }

  public class var sRGB: CFString { CFString("sRGB") }
  public class var genericGrayGamma2_2: CFString { fatalError() }
  public class var displayP3: CFString { fatalError() }
  public class var adobeRGB1998: CFString { fatalError() }
  public class var rommrgb: CFString { fatalError() }
  public class var itur_2100_PQ: CFString { fatalError() }
}

public func CGColorSpaceUsesITUR_2100TF(_ s: CGColorSpace) -> Bool { fatalError() }

public enum CGColorSpaceModel: Int32, @unchecked Sendable {
  case unknown = -1
  case monochrome = 0
  case rgb
  case cmyk
  case lab
  case deviceN
  case indexed
  case pattern
  case XYZ
}

public enum CGImageAlphaInfo: UInt32, @unchecked Sendable {
  case none
  case premultipliedLast
  case premultipliedFirst
  case last
  case first
  case noneSkipLast
  case noneSkipFirst
  case alphaOnly
}

public struct CGBitmapInfo: OptionSet, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  public static var byteOrder16Little: CGBitmapInfo { CGBitmapInfo(rawValue: 1 << 12) }
  public static var byteOrder32Little: CGBitmapInfo { CGBitmapInfo(rawValue: 2 << 12) }
  public static var byteOrder32Big: CGBitmapInfo { fatalError() }
}

public enum CGColorRenderingIntent: Int32, @unchecked Sendable {
  case defaultIntent
  case absoluteColorimetric
  case relativeColorimetric
  case perceptual
  case saturation
}

public enum CGInterpolationQuality: Int32, @unchecked Sendable {
  case `default`
  case none
  case low
  case high
  case medium
}

public enum CGBlendMode: Int32, @unchecked Sendable {
  case normal
  case copy = 17
}

public typealias CGDataProviderReleaseDataCallback =
  @convention(c) (
    _ info: UnsafeMutableRawPointer?, _ data: UnsafeRawPointer, _ size: Int
  ) -> Void

public class CGDataProvider {
  public init?(data: CFData) { fatalError() }

  public init?(
    dataInfo: UnsafeMutableRawPointer?, data: UnsafeRawPointer, size: Int,
    releaseData: @escaping CGDataProviderReleaseDataCallback
  ) {
    releaseData(dataInfo, data, size)
  }
}

public class CGImage {
  public init?(
    width: Int, height: Int, bitsPerComponent: Int, bitsPerPixel: Int, bytesPerRow: Int, space: CGColorSpace,
    bitmapInfo: CGBitmapInfo, provider: CGDataProvider, decode: UnsafePointer<CGFloat>?,
    shouldInterpolate: Bool, intent: CGColorRenderingIntent
  ) {
    (self.width, self.height, colorSpace) = (width, height, space)
    alphaInfo = CGImageAlphaInfo(rawValue: bitmapInfo.rawValue & 31) ?? .none
  }

  @_spi(StandIn) public init(width: Int, height: Int, alphaInfo: CGImageAlphaInfo) {
    (self.width, self.height, self.alphaInfo) = (width, height, alphaInfo)
    colorSpace = CGColorSpace(name: CGColorSpace.sRGB)
  }

  public let width: Int
  public let height: Int
  public let alphaInfo: CGImageAlphaInfo
  public let colorSpace: CGColorSpace?
}

public class CGContext {
  public init?(
    data: UnsafeMutableRawPointer?, width: Int, height: Int, bitsPerComponent: Int, bytesPerRow: Int,
    space: CGColorSpace, bitmapInfo: UInt32
  ) {}

  public var interpolationQuality = CGInterpolationQuality.default

  public func clear(_ rect: CGRect) {}
  public func setBlendMode(_ mode: CGBlendMode) { fatalError() }
  public func draw(_ image: CGImage, in rect: CGRect, byTiling: Bool = false) {}
}
