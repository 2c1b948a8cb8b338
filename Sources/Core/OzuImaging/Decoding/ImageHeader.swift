import OzuBase

/// The facts that a file declares about its picture, read before any pixel is decoded.
public struct ImageHeader: Hashable, Sendable {
  /// The format.
  public var type: ImageType
  /// The size of the stored picture in pixels, before it is turned upright.
  public var storedSize: PixelSize
  /// How the stored picture is turned upright.
  public var orientation: Orientation
  /// Bits of one colour component: 8 for most, up to 16.
  public var bitsPerComponent: Int
  /// The colour model as stored.
  public var colorModel: ColorModel
  /// Whether pixels may be transparent.
  public var hasAlpha: Bool
  /// The name of the embedded ICC profile; `nil` if there is none.
  public var colorProfileName: String?
  /// How many frames an animation has; 1 for a still picture. Frames are counted up to `largestFrameCount`.
  public var frameCount: Int
  /// The colour encoding; `nil` for sRGB.
  public var colorEncoding: ColorEncoding?
  /// How bright a picture of high dynamic range is; `nil` if the file does not declare it.
  public var lightLevels: LightLevels?
  /// The gain map, which makes the picture brighter on displays of high dynamic range; `nil` if there is none that
  /// can be used.
  public var gainMap: GainMap?
  /// Bytes of the file that are not there and may have facts of this header: the beginning of a picture that may be the gain
  /// map, in a file that is cut or not loaded yet. `nil` if nothing is missing.
  package var missingBytes: Range<Int>?
  /// Notes about values in the file that were ignored because they are wrong, and about frames that are missing at
  /// its end; `Picture.notes` begins with them.
  public var notes: [String] = []
  /// The print resolution in pixels per inch: 0.01 to 65,535. `nil` if the file does not declare it, or one outside of
  /// that range.
  public var dotsPerInch: Double?
  /// The facts that a camera wrote beside the pixels; `nil` if there are none.
  public var metadata: PictureMetadata?
  /// The facts about a camera RAW file, whose largest preview is the picture; `nil` for other files.
  public var cameraRAW: CameraRAW?
  /// Whether the picture is a drawing, which has no pixels of its own: it is sharp at any size, so a recipe may make
  /// it larger than the size it states.
  public var isDrawing = false
  /// The size of a drawing in fractions of a pixel, from which results get their proportions; `storedSize` is rounded up
  /// from it. `nil` if that is the same.
  package var exactSize: SIMD2<Double>?
  /// Whether the file stores the picture in passes that refine it (progressive JPEG, interlaced PNG).
  public var isProgressive: Bool
  /// The layout of the picture's planes, if its decoder can make them at a few eighths of their size; `nil`
  /// otherwise.
  package var planeLayout: PlaneLayout?

  /// The size of the squares, in pixels, along which a part of the picture (`Resize.region`) can be cut out of the
  /// file without decoding it (`DecodePlan.cut`); `nil` (the default) if the file can only be decoded whole.
  public var regionUnit: PixelSize?
  /// Whether parts of the picture (`Resize.region`) can be decoded alone, each at much less cost than the whole.
  /// False by default. A picture that was decoded in another process has no `regionUnit`; this says it for all
  /// files.
  public var hasParts = false

  /// Notes why the pixels of the file cannot be read, in the words of the error that a load of it has.
  package mutating func noteUnread(_ reason: String) { notes.append("it cannot be read: \(reason)") }

  /// Notes that the file ends before its last frame does.
  ///
  /// - Parameters:
  ///   - count: how many frames are there; nothing is noted if there is none, because then no picture is shown.
  ///   - total: how many frames the file has or at least begins.
  ///   - isExact: whether the file states how many it has.
  package mutating func noteCut(wholeFrames count: Int, ofAtLeast total: Int, isExact: Bool = false) {
    guard count > 0, count < total else { return }
    let all = isExact ? "\(total)" : "at least \(total)"
    notes.append("\(PictureNotes.cut)\(count) of \(all) frames \(count == 1 ? "is" : "are") there")
  }

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

  /// Makes a header of what decides over pixels; a decoder adds the rest as it finds it.
  public init(
    type: ImageType, storedSize: PixelSize, orientation: Orientation = .up, bitsPerComponent: Int = 8,
    colorModel: ColorModel = .rgb, hasAlpha: Bool = false, frameCount: Int = 1, isProgressive: Bool = false
  ) {
    self.init(
      type: type, storedSize: storedSize, orientation: orientation, bitsPerComponent: bitsPerComponent,
      colorModel: colorModel, hasAlpha: hasAlpha, frameCount: frameCount, isProgressive: isProgressive,
      planeLayout: nil)
  }

  /// Makes the header of a file whose decoder can make planes.
  package init(
    type: ImageType, storedSize: PixelSize, orientation: Orientation = .up, bitsPerComponent: Int = 8,
    colorModel: ColorModel = .rgb, hasAlpha: Bool = false, frameCount: Int = 1, isProgressive: Bool = false,
    planeLayout: PlaneLayout?
  ) {
    self.type = type
    self.storedSize = storedSize
    self.orientation = orientation
    self.bitsPerComponent = bitsPerComponent
    self.colorModel = colorModel
    self.hasAlpha = hasAlpha
    self.frameCount = frameCount
    self.isProgressive = isProgressive
    self.planeLayout = planeLayout
  }

  /// Sets the embedded ICC profile: its name and the colour encoding.
  package mutating func add(_ profile: ICCProfile?) {
    colorProfileName = profile?.name
    colorEncoding = profile.map(ColorEncoding.profile)
  }

  /// Sets the print resolution that a file states, if it is possible: files state any number, also infinity.
  package mutating func add(statedDotsPerInch dots: Double?) {
    dotsPerInch = dots.flatMap { ImageResolution(dotsPerInch: $0).valid?.horizontal }
  }

  /// The format in which a decoder may return the pixels.
  ///
  /// - Parameter policy: the policy of the decode. Grey that needs a colour conversion is returned in colours.
  public func pixelFormat(under policy: PixelFormatPolicy) -> PixelFormat {
    guard policy == .asStored, !isDrawing else { return .bgra8 }
    if bitsPerComponent > 8 { return .rgba16 }
    return colorModel == .gray && !hasAlpha && colorEncoding == nil ? .gray8 : .bgra8
  }

  /// The count at which decoders stop counting frames: a `frameCount` of 65,536 means at least as many.
  public static let largestFrameCount = 65_536

  /// Whether `frameCount` is the exact number of frames, not the count at which the decoder stopped.
  public var isFrameCountExact: Bool { frameCount < Self.largestFrameCount }

  /// The number of frames in words: `1 frame`, `600 frames`, `more than 65535 frames`.
  public var frameCountDescription: String {
    guard isFrameCountExact else { return "more than \(Self.largestFrameCount - 1) frames" }
    return frameCount == 1 ? "1 frame" : "\(frameCount) frames"
  }

  /// The size of the upright picture in pixels.
  public var size: PixelSize { orientation.applied(to: storedSize) }
}

extension ImageHeader {
  /// The part of the stored picture to cut out of the file for a region of it; `nil` if the file cannot be cut, or
  /// if cutting saves little.
  ///
  /// It is the region with all pixels that filters read beyond its edges, so that the result equals that of the
  /// whole file; rounded up to whole squares (`regionUnit`).
  ///
  /// - Parameters:
  ///   - shown: the region, as stored.
  ///   - output: the size at which the region is shown.
  func cut(around shown: PixelRegion, output: PixelSize, resize: Resize?) -> PixelRectangle? {
    guard let resize, resize.region != nil, let unit = regionUnit, !unit.isEmpty else { return nil }
    // A reduced decode has at least one and a half samples for each pixel of the result (`PlaneReduction`), so the
    // reach of the filter is counted in pixels of the result. Two samples are added for enlarging chroma and for
    // lifting detail.
    func range(_ origin: Double, _ length: Double, _ count: Int, _ whole: Int, _ unit: Int) -> Range<Int> {
      let reach = resize.kernel.support * max(1, length / Double(count)) * 4 / 3 + 16
      let first = Int(clamping: max(0, origin - reach)) / unit * unit
      let last = min(whole, Int(clamping: origin + length + reach, rounded: .up))
      return first..<min(whole, (last + unit - 1) / unit * unit)
    }
    let columns = range(shown.x, shown.width, output.width, storedSize.width, unit.width)
    let rows = range(shown.y, shown.height, output.height, storedSize.height, unit.height)
    let cut = PixelRectangle(
      x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
    return cut.size.pixelCount <= storedSize.pixelCount / 2 ? cut : nil
  }
}

/// The facts of a header that the users of a picture and the rules for derived variants need. Colour encoding and
/// camera metadata are not among them. A header that is impossible is damage.
extension ImageHeader {
  package func write(to writer: inout FieldWriter) {
    writer.append(type.rawValue)
    storedSize.write(to: &writer)
    writer.append(orientation.rawValue)
    writer.append(bitsPerComponent)
    writer.append(colorModel.rawValue)
    writer.append(hasAlpha)
    writer.append(colorProfileName) { $0.append($1) }
    writer.append(frameCount)
    writer.append(isProgressive)
    writer.append(isDrawing)
    writer.append(hasParts)
  }

  package init(from reader: inout FieldReader) throws(FieldReader.Damage) {
    self.init(
      type: ImageType(rawValue: try reader.text()), storedSize: try PixelSize(from: &reader),
      orientation: Orientation(rawValue: try reader.integer()) ?? .up,
      bitsPerComponent: try reader.integer(),
      colorModel: ColorModel(rawValue: try reader.text()) ?? .rgb, hasAlpha: try reader.flag())
    colorProfileName = try reader.optional { (reader) throws(FieldReader.Damage) in try reader.text() }
    frameCount = try reader.integer()
    isProgressive = try reader.flag()
    isDrawing = try reader.flag()
    hasParts = try reader.flag()
    guard flaw(from: [type]) == nil else { throw FieldReader.Damage() }
  }
}
