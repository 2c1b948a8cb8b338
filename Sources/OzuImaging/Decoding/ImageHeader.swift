/// What a file says of its picture before any pixel is decoded.
public struct ImageHeader: Hashable, Sendable {
  /// The format.
  public var type: ImageType
  /// The size of the stored picture in pixels, before it is turned upright.
  public var storedSize: PixelSize
  /// How the stored picture has to be turned.
  public var orientation: Orientation
  /// Bits of one colour component: 8 for most, up to 16.
  public var bitsPerComponent: Int
  /// The colour model as stored.
  public var colorModel: ColorModel
  /// Whether pixels may be transparent.
  public var hasAlpha: Bool
  /// The name of the embedded ICC profile; `nil` when there is none.
  public var colorProfileName: String?
  /// How many frames an animation has; 1 for a still picture. Frames are counted up to `largestFrameCount`.
  public var frameCount: Int
  /// What the colours mean, where they are not sRGB.
  public var colorEncoding: ColorEncoding?
  /// How bright a picture of high dynamic range is; `nil` when the file does not say.
  public var lightLevels: LightLevels?
  /// What makes the picture brighter for displays of high dynamic range; `nil` when there is nothing that can be used.
  public var gainMap: GainMap?
  /// What the file says beside its pixels and cannot be believed; `Picture.notes` begins with it.
  public var notes: [String] = []
  /// How many pixels the file wants to an inch of paper; `nil` when it does not say.
  public var dotsPerInch: Double?
  /// What a camera wrote beside the pixels; `nil` when the file has nothing of the kind.
  public var metadata: PictureMetadata?
  /// Whether the picture is a drawing, which has no pixels of its own: it is sharp at any size, so a recipe may make
  /// it larger than the size it states.
  public var isDrawing = false
  /// Whether the picture comes in passes (progressive JPEG, interlaced PNG).
  public var isProgressive: Bool
  /// How the planes of the picture lie, when its decoder can make them at a few eighths of their size; `nil`
  /// otherwise.
  public var planeLayout: PlaneLayout?

  /// The squares, in pixels, between which the file can be cut without decoding it, so that a part of the picture
  /// (`Resize.region`) is decoded alone (`DecodePlan.cut`); `nil` (the default) where it is decoded whole.
  public var regionUnit: PixelSize?
  /// Whether parts of the picture (`Resize.region`) are decoded alone, each for much less than the whole costs. False by
  /// default, and always true or false for a picture that was decoded in another process, which has no `regionUnit`.
  public var hasParts = false

  /// How colours are stored.
  public enum ColorModel: String, Hashable, Sendable {
    /// Shades of grey.
    case gray
    /// Red, green, blue, or a model that is converted to it (YCbCr).
    case rgb
    /// Cyan, magenta, yellow, black, or YCCK.
    case cmyk
    /// Indices into a palette.
    case indexed
  }

  /// Makes a header.
  public init(
    type: ImageType, storedSize: PixelSize, orientation: Orientation = .up, bitsPerComponent: Int = 8,
    colorModel: ColorModel = .rgb, hasAlpha: Bool = false, colorProfileName: String? = nil,
    frameCount: Int = 1, isProgressive: Bool = false, planeLayout: PlaneLayout? = nil,
    colorEncoding: ColorEncoding? = nil, dotsPerInch: Double? = nil, metadata: PictureMetadata? = nil
  ) {
    self.type = type
    self.storedSize = storedSize
    self.orientation = orientation
    self.bitsPerComponent = bitsPerComponent
    self.colorModel = colorModel
    self.hasAlpha = hasAlpha
    self.colorProfileName = colorProfileName
    self.frameCount = frameCount
    self.isProgressive = isProgressive
    self.planeLayout = planeLayout
    self.colorEncoding = colorEncoding
    self.dotsPerInch = dotsPerInch
    self.metadata = metadata
  }

  /// The format in which a decoder may hand out the pixels.
  ///
  /// - Parameter policy: of the decode. Grey that has to be converted is converted in colours.
  public func pixelFormat(under policy: PixelFormatPolicy) -> PixelFormat {
    guard policy == .asStored, !isDrawing else { return .bgra8 }
    if bitsPerComponent > 8 { return .rgba16 }
    return colorModel == .gray && !hasAlpha && colorEncoding == nil ? .gray8 : .bgra8
  }

  /// Where decoders stop to count frames: a `frameCount` of 65,536 stands for as many or more.
  public static let largestFrameCount = 65_536

  /// Whether `frameCount` is the number of frames, and not the point where the decoder stopped to count.
  public var isFrameCountExact: Bool { frameCount < Self.largestFrameCount }

  /// The number of frames in words: `1 frame`, `600 frames`, `more than 65535 frames`.
  public var frameCountDescription: String {
    guard isFrameCountExact else { return "more than \(Self.largestFrameCount - 1) frames" }
    return frameCount == 1 ? "1 frame" : "\(frameCount) frames"
  }

  /// The size of the upright picture in pixels.
  public var size: PixelSize { orientation.applied(to: storedSize) }
}
