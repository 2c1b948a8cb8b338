// Pictures, colour spaces and contexts. None of the classes is Sendable here.

@_exported import Foundation

// Opaque, as the SDK declares them: they have no members, and no conversion but `as`, which is in one file (Bridging.swift).

public class CFString: Hashable {
  private init() {}
  public static func == (one: CFString, other: CFString) -> Bool { fatalError() }
  public func hash(into hasher: inout Hasher) { fatalError() }
}

public class CFData { fileprivate init() {} }
public class CFMutableData: CFData {}
public class CFDictionary { private init() {} }
public class CFArray { private init() {} }

public class CGColorSpace {
  public init?(name: CFString) { fatalError() }
  public init?(iccData: CFData) { fatalError() }

  public var name: CFString? { fatalError() }
  public var model: CGColorSpaceModel { fatalError() }
  public var supportsOutput: Bool { fatalError() }
  public func copyICCData() -> CFData? { fatalError() }

  public class var sRGB: CFString { fatalError() }
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

  public static var byteOrder16Little: CGBitmapInfo { fatalError() }
  public static var byteOrder32Little: CGBitmapInfo { fatalError() }
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
    fatalError()
  }
}

public class CGImage {
  public init?(
    width: Int, height: Int, bitsPerComponent: Int, bitsPerPixel: Int, bytesPerRow: Int, space: CGColorSpace,
    bitmapInfo: CGBitmapInfo, provider: CGDataProvider, decode: UnsafePointer<CGFloat>?,
    shouldInterpolate: Bool, intent: CGColorRenderingIntent
  ) {
    fatalError()
  }

  public var width: Int { fatalError() }
  public var height: Int { fatalError() }
  public var alphaInfo: CGImageAlphaInfo { fatalError() }
  public var colorSpace: CGColorSpace? { fatalError() }
}

public class CGContext {
  public init?(
    data: UnsafeMutableRawPointer?, width: Int, height: Int, bitsPerComponent: Int, bytesPerRow: Int,
    space: CGColorSpace, bitmapInfo: UInt32
  ) {
    fatalError()
  }

  public var interpolationQuality: CGInterpolationQuality {
    get { fatalError() }
    set { fatalError() }
  }

  public func clear(_ rect: CGRect) { fatalError() }
  public func setBlendMode(_ mode: CGBlendMode) { fatalError() }
  public func draw(_ image: CGImage, in rect: CGRect, byTiling: Bool = false) { fatalError() }
}
