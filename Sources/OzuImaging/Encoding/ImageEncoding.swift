#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Writes one image format.
public protocol ImageEncoding: Sendable {
  /// The format this encoder writes.
  var type: ImageType { get }

  /// Whether transparent pixels survive. An encoder without alpha blends them over white.
  var keepsAlpha: Bool { get }

  /// Whether this encoder takes a bitmap. One that declines is passed over, and the next of its type is asked. By
  /// default it takes all.
  func accepts(_ bitmap: Bitmap, options: EncodingOptions) -> Bool

  /// Encodes a bitmap.
  ///
  /// - Throws: `EncodingError`.
  func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(EncodingError) -> Data
}

extension ImageEncoding {
  /// Everything.
  public func accepts(_ bitmap: Bitmap, options: EncodingOptions) -> Bool { true }
}

/// How a picture is written.
public struct EncodingOptions: Hashable, Sendable {
  /// From 0, smallest, to 1, best; lossless formats ignore it. 0.85 by default.
  public var compressionQuality: Double

  /// Whether pixels must come back as they are, for formats that can do either: WebP, AVIF, JPEG XL. Off by
  /// default.
  public var isLossless: Bool

  /// The most bytes that the file may have; `nil` (the default) for no limit. `CodecRegistry.encode` lowers the quality
  /// until it fits.
  public var maximumByteCount: Int?

  /// How much processor time the encoder takes to make the file small; the pixels do not depend on it where the format is
  /// lossless.
  public enum Effort: String, Hashable, Sendable, CaseIterable {
    /// As little as possible.
    case low
    /// What suits a file that is written once and sent a few times.
    case medium
    /// What suits a file that is sent for years: many times the time of `medium` for some hundredths of the bytes.
    case high
  }

  /// `medium` by default. PNG, WebP, AVIF and JPEG XL heed it.
  public var effort: Effort

  /// Makes options.
  public init(
    compressionQuality: Double = 0.85, isLossless: Bool = false, maximumByteCount: Int? = nil,
    effort: Effort = .medium
  ) {
    self.compressionQuality = compressionQuality
    self.isLossless = isLossless
    self.maximumByteCount = maximumByteCount
    self.effort = effort
  }
}

/// Why a picture was not written.
public enum EncodingError: Error, Hashable, Sendable {
  /// No encoder here writes this format.
  case unsupportedType(ImageType)
  /// The format cannot hold a picture of this size.
  case tooLarge(ImageType, PixelSize)
  /// The file has more bytes than it may, at the lowest quality.
  case tooManyBytes(ImageType, byteCount: Int, limit: Int)
  /// The animation has more frames than are to be written.
  case tooManyFrames(ImageType, frameCount: Int, limit: Int)
  /// Nobody wants the file any more.
  case cancelled
  /// The codec failed; `reason` is its own word.
  case failed(ImageType, reason: String)
}

extension EncodingError: CustomStringConvertible {
  /// One line for people.
  public var description: String {
    switch self {
    case .unsupportedType(let type): "\(type.displayName) cannot be written"
    case .tooLarge(let type, let size): "\(size) pixels are too many for \(type.displayName)"
    case .tooManyBytes(let type, let byteCount, let limit):
      "as \(type.displayName) the picture takes \(byteCount) bytes at least, more than the limit of \(limit)"
    case .tooManyFrames(let type, let frameCount, let limit):
      "\(frameCount) frames are more than the limit of \(limit) for an animation as \(type.displayName)"
    case .cancelled: "cancelled"
    case .failed(let type, let reason): "writing \(type.displayName) failed: \(reason)"
    }
  }
}
