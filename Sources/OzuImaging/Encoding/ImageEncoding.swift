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

  /// The blocks of `EncodingOptions.metadata` that this encoder writes; it leaves out the others. None by default.
  ///
  /// Pixels that are not sRGB need an encoder that writes their profile.
  var keptMetadata: MetadataKinds { get }

  /// Whether primaries and transfer functions of ITU-T H.273 (`ColorSpaceTag.coded`) are written. `false` by default;
  /// `CodecRegistry.encode` does not hand such a bitmap to an encoder that would lose their meaning.
  var writesColorCodes: Bool { get }

  /// Encodes a bitmap.
  ///
  /// - Throws: `EncodingError`.
  func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(EncodingError) -> Data
}

extension ImageEncoding {
  /// Everything.
  public func accepts(_ bitmap: Bitmap, options: EncodingOptions) -> Bool { true }

  /// None.
  public var keptMetadata: MetadataKinds { [] }

  /// They are not.
  public var writesColorCodes: Bool { false }
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

  /// The blocks that are written beside the pixels; none by default. `ImageEncoding.keptMetadata` says which of them the
  /// format has a place for.
  public var metadata: EncodedMetadata

  /// Whether the picture comes in passes that refine it, so that a reader on a slow line sees all of it early. Off by
  /// default. JPEG and JPEG XL heed it; PNG, WebP and AVIF are written in one pass.
  public var isProgressive: Bool

  /// How much of the colour is kept; `automatic` by default. JPEG and AVIF heed it. Lossy WebP has a quarter of it by its
  /// rules: `full` there makes libwebp choose the samples by the look of the whole pixels, which keeps edges sharper and
  /// takes some times as long. What is lossless keeps all of it.
  public var chromaSubsampling: ChromaSubsampling

  /// Makes options.
  public init(
    compressionQuality: Double = 0.85, isLossless: Bool = false, maximumByteCount: Int? = nil,
    effort: Effort = .medium, metadata: EncodedMetadata = EncodedMetadata(), isProgressive: Bool = false,
    chromaSubsampling: ChromaSubsampling = .automatic
  ) {
    self.compressionQuality = compressionQuality
    self.isLossless = isLossless
    self.maximumByteCount = maximumByteCount
    self.effort = effort
    self.metadata = metadata
    self.isProgressive = isProgressive
    self.chromaSubsampling = chromaSubsampling
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
