import OzuBase

/// Writes one image format.
public protocol ImageEncoding: Sendable {
  /// The format this encoder writes.
  var type: ImageType { get }

  /// Whether transparency is kept. An encoder without alpha blends the picture over white.
  var keepsAlpha: Bool { get }

  /// Whether this encoder accepts a bitmap. If it declines, the next encoder of its type is asked. By default it
  /// accepts all.
  func accepts(_ bitmap: Bitmap, options: EncodingOptions) -> Bool

  /// Whether the bytes depend on `EncodingOptions.compressionQuality`. `true` by default.
  var hasQuality: Bool { get }

  /// Whether the search for `EncodingOptions.targetScore` tries files with a quarter of the chroma first where it is
  /// `automatic`, because they are much smaller at the same look. `false` by default.
  var hasChromaSubsampling: Bool { get }

  /// The blocks of `EncodedMetadata` that this encoder writes; it ignores the others. None by default.
  ///
  /// Pixels that are not sRGB need an encoder that writes their ICC profile.
  var keptMetadata: MetadataKinds { get }

  /// Whether the encoder writes primaries and transfer functions of ITU-T H.273 (`ColorSpaceTag.coded`). `false` by
  /// default; `CodecRegistry.encode` does not pass such bitmaps to an encoder that would lose them.
  var writesColorCodes: Bool { get }

  /// Encodes a bitmap. The quality is `options.quality(for: type)`.
  func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(ImageEncodingError) -> Data
}

extension ImageEncoding {
  /// Accepts every bitmap.
  public func accepts(_ bitmap: Bitmap, options: EncodingOptions) -> Bool { true }

  /// Returns `true`.
  public var hasQuality: Bool { true }

  /// Returns `false`.
  public var hasChromaSubsampling: Bool { false }

  /// None.
  public var keptMetadata: MetadataKinds { [] }

  /// Returns `false`.
  public var writesColorCodes: Bool { false }
}

/// The options for writing a picture.
public struct EncodingOptions: Hashable, Sendable {
  /// From 0, smallest, to 1, best; lossless formats ignore it. 0.85 by default.
  ///
  /// The scale is that of JPEG, libjpeg's 0 to 100. WebP, AVIF and JPEG XL look about the same at the same quality, and have
  /// fewer bytes: `QualityScale` has the parameters of their codecs.
  public var compressionQuality: Double

  /// The qualities of single formats, on the same scale, where they are not `compressionQuality`. None by default.
  public var qualities: [ImageType: Double] = [:]

  /// How much the file must look like the picture, instead of a quality: a score of `SSIMULACRA2`, from 30 (annoying)
  /// over 70 (good) and 80 (hard to tell beside the picture) to 90 (hard to tell at all). `nil` by default.
  ///
  /// `CodecRegistry.encode` finds a quality whose score is at most half a point lower or 1.5 points higher, as a rule, in at
  /// most four tries; each is encoded, decoded and compared. `automatic` chroma is chosen with it. If none is that near, the
  /// nearest is written. `compressionQuality` is then used only for pictures with a side under 8 pixels, which
  /// have no score. Other values are clamped to 30...100, and NaN counts as `nil`. Lossless files, formats without a quality and
  /// animations ignore it. With `maximumByteCount`, the limit on bytes wins. A picture of high dynamic range, and one over
  /// `DecodingLimits.default`, cannot be measured: encoding it fails.
  public var targetScore: Double?

  /// Whether the pixels must be kept exactly, for formats that support both: WebP, AVIF, JPEG XL. Off by default.
  ///
  /// `ImagePipeline.encoded(for:as:)` stores a JPEG of which nothing changes as JPEG XL without decoding it, so that a file
  /// of JPEG with this option gives back the same JPEG.
  public var isLossless: Bool

  /// The most bytes that the file may have; `nil` (the default) for no limit. `CodecRegistry.encode` lowers the quality
  /// until it fits.
  public var maximumByteCount: Int?

  /// Whether a picture that needs more bytes than `maximumByteCount` at every quality is an error, which is the
  /// default. Otherwise the quality is not lowered below 0.1, and what does not fit then is written all the same: formats
  /// without a quality and animations ignore the limit.
  public var enforcesByteLimit = true

  /// How much processor time the encoder spends to make the file small. In a lossless format the pixels do not
  /// depend on it.
  public enum Effort: String, Hashable, Sendable, CaseIterable {
    /// As little as possible.
    case low
    /// For a file that is written once and sent a few times.
    case medium
    /// For a file that is sent for years: many times the time of `medium`, for a few per cent fewer bytes.
    case high
  }

  /// `medium` by default.
  ///
  /// - JPEG: `high` is always progressive and takes some ten times the processor time of `medium`, which is that of `low`.
  /// - PNG: `low` takes the layout that should be the smallest, without a sample; `high` compares more filters, some of
  ///   them over the whole picture, and compresses by zlib's levels 7 and 9.
  /// - WebP: libwebp's methods 2, 4 and 6, and sharp chroma for `high`; the levels 1, 4 and 7 of lossless files.
  /// - AVIF: libaom's speeds 10, 6 and 5.
  /// - JPEG XL: libjxl's efforts 3, 5 and 8; with libjxl 0.7 the last is 7.
  /// - GIF, and PNG with a `colorLimit`: how long good colours are looked for.
  /// - PNM and QOI have one way to be written.
  public var effort: Effort

  /// The efforts of single formats, where they are not `effort`. None by default.
  public var efforts: [ImageType: Effort] = [:]

  /// The blocks that are written beside the pixels; none by default. `ImageEncoding.keptMetadata` says which of
  /// them the format can store.
  public var metadata: EncodedMetadata

  /// Whether the picture is stored in passes that refine it, so that a reader on a slow connection sees all of it
  /// early. Off by default. JPEG and JPEG XL use it; PNG, WebP and AVIF are written in one pass.
  public var isProgressive: Bool

  /// How much colour detail is kept; `automatic` by default. JPEG and AVIF use it. Lossy WebP always stores a
  /// quarter: with `full`, or with `high` effort, libwebp chooses the samples so that the pixels look right, which keeps edges
  /// sharper and takes half as long again. Lossless files keep all of it.
  public var chromaSubsampling: ChromaSubsampling

  /// The most colours of a PNG, from 2 to 256, a transparent one included; other numbers count as the nearest of these.
  /// `nil` (the default) keeps all colours.
  ///
  /// A picture with more is changed: its colours are chosen as for a GIF, but may be partly transparent, and errors are
  /// distributed to the neighbours, except inside an area whose colour the palette nearly has. In an animation, each frame
  /// chooses its own.
  public var colorLimit: Int?

  /// Makes options.
  public init(
    compressionQuality: Double = 0.85, isLossless: Bool = false, maximumByteCount: Int? = nil,
    effort: Effort = .medium, metadata: EncodedMetadata = EncodedMetadata(), isProgressive: Bool = false,
    chromaSubsampling: ChromaSubsampling = .automatic, colorLimit: Int? = nil, targetScore: Double? = nil
  ) {
    self.colorLimit = colorLimit
    self.compressionQuality = compressionQuality
    self.isLossless = isLossless
    self.maximumByteCount = maximumByteCount
    self.effort = effort
    self.metadata = metadata
    self.isProgressive = isProgressive
    self.chromaSubsampling = chromaSubsampling
    self.targetScore = targetScore
  }

  /// The quality of files of a format, from 0 to 1. NaN counts as 0.
  public func quality(for type: ImageType) -> Double {
    let quality = qualities[type] ?? compressionQuality
    return quality.isNaN ? 0 : min(max(quality, 0), 1)
  }

  /// The effort for files of a format.
  public func effort(for type: ImageType) -> Effort { efforts[type] ?? effort }

  /// The same options with the quality and the effort of one format as the only ones.
  package func narrowed(to type: ImageType) -> EncodingOptions {
    var options = self
    options.compressionQuality = quality(for: type)
    options.qualities = [:]
    options.effort = effort(for: type)
    options.efforts = [:]
    // JPEG cannot keep every pixel, so its quality counts, and a limit on bytes lowers it.
    if type == .jpeg { options.isLossless = false }
    return options
  }
}

/// How much colour detail a lossy file keeps, compared with its brightness.
public enum ChromaSubsampling: String, Hashable, Sendable, CaseIterable {
  /// What takes the fewest bytes at the same look: in JPEG a quarter below quality 0.9 and all of it from 0.9 on, in AVIF
  /// all of it.
  case automatic
  /// All of it (4:4:4): for drawings, screenshots and small red letters.
  case full
  /// Half, at the full height (4:2:2).
  case half
  /// A quarter (4:2:0): the usual one for photographs.
  case quarter
}

/// Why a picture could not be written.
public enum ImageEncodingError: Error, Hashable, Sendable {
  /// No encoder here writes this format.
  case unsupportedType(ImageType)
  /// The format cannot hold a picture of this size.
  case tooLarge(ImageType, PixelSize)
  /// The file is larger than the limit, even at the lowest quality.
  case tooManyBytes(ImageType, byteCount: Int, limit: Int)
  /// The animation has more frames than the limit.
  case tooManyFrames(ImageType, frameCount: Int, limit: Int)
  /// The frames of the animation have more pixels together than the limit.
  case tooManyPixels(ImageType, pixelCount: Int, limit: Int)
  /// The first `frameCount` frames of the animation took more processor time than the limit for all.
  case tooMuchTime(ImageType, frameCount: Int, limit: Duration)
  /// The work was cancelled.
  case cancelled
  /// The codec failed; `reason` is its message.
  case failed(ImageType, reason: String)
}

extension ImageEncodingError: DescribedError {
  /// The error in one line, to show to people.
  public var description: String {
    switch self {
    case .unsupportedType(let type): "\(type.displayName) cannot be written"
    case .tooLarge(let type, let size): "\(size) pixels are too many for \(type.displayName)"
    case .tooManyBytes(let type, let byteCount, let limit):
      "as \(type.displayName) the picture takes \(byteCount) bytes at least, more than the limit of \(limit)"
    case .tooManyFrames(let type, let frameCount, let limit):
      "\(frameCount) frames are more than the limit of \(limit) for an animation as \(type.displayName)"
    case .tooManyPixels(let type, let pixelCount, let limit):
      "\(pixelCount) pixels in all frames are more than the limit of \(limit) for an animation as \(type.displayName)"
    case .tooMuchTime(let type, let frameCount, let limit):
      "\(frameCount) frames took more processor time than the limit of \(limit) for an animation as \(type.displayName)"
    case .cancelled: "cancelled"
    case .failed(let type, let reason): "writing \(type.displayName) failed: \(reason)"
    }
  }
}
