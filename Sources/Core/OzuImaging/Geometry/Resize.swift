import OzuBase

/// The recipe of a resize: a size, a mode and options.
///
/// A value: two equal recipes give the same pixels and have the same key in every cache.
public struct Resize: Hashable, Sendable {
  /// The requested size, in pixels of the upright picture.
  public var size: PixelSize
  /// How the picture is fitted to the size.
  public var mode: ScaleMode
  /// Whether `aspectFill` cuts off the parts of the picture outside the size, so that the result has exactly the size. On by
  /// default. The centre of the picture is kept. Of a picture that is too small to cover the size, and must not be enlarged, the
  /// largest part with the proportions of the size is kept. Without it the result covers the size and may be larger on one side.
  ///
  /// Other modes leave nothing outside. Recipes of these modes are equal whether this is on or off.
  public var crops: Bool
  /// Whether a picture smaller than the size may be enlarged. Off by default.
  public var allowsUpscaling: Bool
  /// What `aspectFill` cuts from a picture that may not be enlarged and is smaller than this size on a side: each side on its own
  /// is cut to that of this size, and the proportions are what comes of it. `nil`, the default, for the proportions of `size`, whatever
  /// the picture is.
  ///
  /// For a picture in points on a screen of a higher density this is the size in points, and `size` that in pixels.
  public var sidesOfSmall: PixelSize?
  /// The filter that weights the source pixels. Lanczos3 by default.
  public var kernel: ResamplingKernel
  /// How much of the file a reduced decode reads. Balanced by default.
  public var quality: DecodingQuality
  /// The values in which pixels are weighted. As stored by default.
  public var light: ResamplingLight
  /// Whether the thumbnail that a camera put into the file may replace the picture, if it is large enough and shows
  /// the same area. Off by default, because the camera has sharpened and compressed it.
  public var allowsEmbeddedThumbnail: Bool

  /// The part of the upright picture that the recipe is applied to, in pixels, as if the file had nothing else;
  /// `nil` (the default) for the whole picture.
  ///
  /// Areas of the part outside the picture are left out; if the whole part lies outside, the decode fails.
  /// Near its edges filters read pixels beyond the part, so parts that are made one by one have no seams. With the
  /// mode `none` the part is shown pixel for pixel. A JPEG with a single scan is indexed at the first decode and
  /// then read only around the part; of tiles and strips, only those that the part touches are read
  /// (`ImageHeader.regionUnit`).
  public var region: PixelRectangle?

  /// Makes a recipe.
  public init(
    _ size: PixelSize, mode: ScaleMode = .aspectFit, crops: Bool = true, allowsUpscaling: Bool = false,
    kernel: ResamplingKernel = .lanczos3, quality: DecodingQuality = .balanced,
    light: ResamplingLight = .asStored, allowsEmbeddedThumbnail: Bool = false,
    region: PixelRectangle? = nil
  ) {
    self.size = size
    self.mode = mode
    self.crops = crops
    self.allowsUpscaling = allowsUpscaling
    self.kernel = kernel
    self.quality = quality
    self.light = light
    self.allowsEmbeddedThumbnail = allowsEmbeddedThumbnail
    self.region = region
  }

  /// The recipe for a part of the picture at its own size: the mode is `none`.
  public init(region: PixelRectangle) {
    self.init(region.size, mode: .none, region: region)
  }

  /// The recipe for a width, with the height that follows from the proportions of the picture. A narrower picture stays as
  /// it is, unless it may be enlarged.
  public init(width: Int, allowsUpscaling: Bool = false) {
    self.init(PixelSize(width, Self.openSide), allowsUpscaling: allowsUpscaling)
  }

  /// The recipe for a height, with the width that follows from the proportions of the picture. A lower picture stays as it
  /// is, unless it may be enlarged.
  public init(height: Int, allowsUpscaling: Bool = false) {
    self.init(PixelSize(Self.openSide, height), allowsUpscaling: allowsUpscaling)
  }

  /// The side of a size that is left open: no picture has a longer one (`DecodingLimits.side`).
  package static let openSide = 65_535

  /// A text that is equal only for equal recipes; part of every cache key.
  public var identifier: String {
    let flags =
      (cutsOff ? "c" : "") + (allowsUpscaling ? "u" : "") + (quality == .fast ? "f" : "")
      + (light == .linear ? "l" : "") + (allowsEmbeddedThumbnail ? "t" : "")
    let part =
      (cutSidesOfSmall.map { ",sides \($0)" } ?? "")
      + (region.map { ",\($0.x),\($0.y),\($0.size)" } ?? "")
    return "resize(\(size),\(mode.rawValue),\(flags),\(kernel.rawValue)\(part))"
  }

  /// Whether the recipe may cut off a part of the picture: `crops`, if the mode can leave something outside. `identifier` contains
  /// this value instead of `crops`, so that recipes of other modes keep the keys that they had when `crops` was off by default.
  package var cutsOff: Bool { crops && mode == .aspectFill }

  /// `sidesOfSmall` where it has an effect.
  var cutSidesOfSmall: PixelSize? { cutsOff && !allowsUpscaling ? sidesOfSmall : nil }

  /// Whether two recipes make equal results from every picture.
  public static func == (a: Resize, b: Resize) -> Bool {
    a.size == b.size && a.mode == b.mode && a.cutsOff == b.cutsOff && a.allowsUpscaling == b.allowsUpscaling
      && a.kernel == b.kernel && a.quality == b.quality && a.light == b.light
      && a.allowsEmbeddedThumbnail == b.allowsEmbeddedThumbnail && a.region == b.region
      && a.cutSidesOfSmall == b.cutSidesOfSmall
  }

  /// Hashes the values that `==` compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(size)
    hasher.combine(mode)
    hasher.combine(cutsOff)
    hasher.combine(allowsUpscaling)
    hasher.combine(kernel)
    hasher.combine(quality)
    hasher.combine(light)
    hasher.combine(allowsEmbeddedThumbnail)
    hasher.combine(region)
    hasher.combine(cutSidesOfSmall)
  }

  /// Whether the whole picture is shown as it is.
  package var changesNothing: Bool { mode == .none && region == nil }
}

/// How a picture is fitted to the requested size. A side that the size leaves open is rounded to the nearest pixel.
public enum ScaleMode: String, Hashable, Sendable, Codable, CaseIterable {
  /// Stretches the picture to the size and ignores its proportions.
  case fill
  /// Keeps the proportions; the result is the largest that fits inside the size.
  case aspectFit
  /// Keeps the proportions and cuts off the parts outside the size, so that the result has exactly the size. A picture that would
  /// have to be enlarged is cut to the proportions of the size. With `crops: false` (`Resize.crops`) nothing is cut off: the
  /// result is the smallest that covers the size.
  case aspectFill
  /// Leaves the picture at its own size.
  case none
}

/// How much of a file a reduced decode reads.
///
/// It matters only if a decoder can leave detail out: today for a JPEG that becomes several times smaller.
public enum DecodingQuality: String, Hashable, Sendable, CaseIterable {
  /// As much as the result can show: no visible difference to a full decode.
  case balanced
  /// Less: thumbnails take about two thirds of the time and lose some sharpness.
  case fast
}

extension Resize {
  /// The filter, and the values that it weights.
  package var resampler: Resampler { Resampler(kernel: kernel, light: light) }
}

extension Resize: ImageProcessing {
  /// Resamples the picture.
  ///
  /// For a picture from a file, the request's own `resize` is better: then no more is decoded than needed.
  ///
  /// - Throws: `invalidParameters` for an empty size or one over the limits, and for a region outside the picture.
  public func process(
    _ bitmap: BGRABitmap, context: ProcessingContext
  ) throws(ProcessingError) -> BGRABitmap {
    BGRABitmap(try resized(bitmap.bitmap, context), pool: context.pool)
  }

  /// Resamples 16 bits in the same way.
  public func process(wide bitmap: Bitmap, context: ProcessingContext) throws(ProcessingError) -> Bitmap? {
    try resized(bitmap, context)
  }

  /// The bitmap under the rules of a decode, so that a step and a request for the same size fail for the same pictures.
  private func resized(_ bitmap: Bitmap, _ context: ProcessingContext) throws(ProcessingError) -> Bitmap {
    guard mode == .none || !size.isEmpty else {
      throw .invalidParameters(identifier, reason: "nothing would be left of the picture")
    }
    do throws(ImageDecodingError) {
      // A budget of its own, for which it never waits: a step may run while a share of the pipeline's is held.
      let decoding = DecodingContext(
        limits: context.limits, pool: context.pool,
        budget: DecodedByteBudget(byteLimit: context.limits.decodedByteCount))
      return try Picture(bitmap).resized(self, context: decoding).bitmap
    } catch {
      throw .invalidParameters(identifier, reason: "\(error)")
    }
  }
}

extension ImageProcessing where Self == Resize {
  /// Resizes the picture. `crops` says whether `aspectFill` cuts off the parts outside the size; it has no effect on other
  /// modes.
  public static func resize(
    _ size: PixelSize, mode: ScaleMode = .aspectFit, crops: Bool = true, allowsUpscaling: Bool = false
  ) -> Self {
    Resize(size, mode: mode, crops: crops, allowsUpscaling: allowsUpscaling)
  }

  /// The size has no label.
  @available(*, unavailable, message: "the size has no label: '.resize(PixelSize(width: …, height: …))'")
  public static func resize(size: PixelSize, mode: ScaleMode = .aspectFit) -> Self {
    Resize(size, mode: mode)
  }

  /// Both sides are a size.
  @available(*, unavailable, message: "use '.resize(PixelSize(width: …, height: …))'")
  public static func resize(width: Int, height: Int) -> Self { Resize(PixelSize(width, height)) }

  /// Resizes the picture to a width, with the height that follows from its proportions.
  public static func resize(width: Int, allowsUpscaling: Bool = false) -> Self {
    Resize(width: width, allowsUpscaling: allowsUpscaling)
  }

  /// Resizes the picture to a height, with the width that follows from its proportions.
  public static func resize(height: Int, allowsUpscaling: Bool = false) -> Self {
    Resize(height: height, allowsUpscaling: allowsUpscaling)
  }
}

extension Resize {
  package func write(to writer: inout FieldWriter) {
    size.write(to: &writer)
    writer.append(mode.rawValue)
    writer.append(crops)
    writer.append(allowsUpscaling)
    writer.append(kernel.rawValue)
    writer.append(quality.rawValue)
    writer.append(light.rawValue)
    writer.append(allowsEmbeddedThumbnail)
    writer.append(region) { $1.write(to: &$0) }
    writer.append(sidesOfSmall) { $1.write(to: &$0) }
  }

  /// Reads a value that `write` has written. The size is not checked.
  package init(from reader: inout FieldReader) throws(FieldReader.Damage) {
    let size = try PixelSize(from: &reader)
    guard let mode = ScaleMode(rawValue: try reader.text()) else { throw FieldReader.Damage() }
    let (crops, allowsUpscaling) = (try reader.flag(), try reader.flag())
    guard let kernel = ResamplingKernel(rawValue: try reader.text()),
      let quality = DecodingQuality(rawValue: try reader.text()),
      let light = ResamplingLight(rawValue: try reader.text())
    else { throw FieldReader.Damage() }
    self.init(
      size, mode: mode, crops: crops, allowsUpscaling: allowsUpscaling, kernel: kernel, quality: quality,
      light: light, allowsEmbeddedThumbnail: try reader.flag(),
      region: try reader.optional { (reader) throws(FieldReader.Damage) in try PixelRectangle(from: &reader) }
    )
    sidesOfSmall = try reader.optional { (reader) throws(FieldReader.Damage) in try PixelSize(from: &reader) }
  }
}

extension PixelRectangle {
  package func write(to writer: inout FieldWriter) {
    writer.append(x)
    writer.append(y)
    size.write(to: &writer)
  }

  /// Reads a value that `write` has written. The numbers are not checked.
  package init(from reader: inout FieldReader) throws(FieldReader.Damage) {
    let (x, y) = (try reader.integer(), try reader.integer())
    let size = try PixelSize(from: &reader)
    self.init(x: x, y: y, width: size.width, height: size.height)
  }
}

extension PixelSize {
  package func write(to writer: inout FieldWriter) {
    writer.append(width)
    writer.append(height)
  }

  /// Reads a value that `write` has written. The size is not checked.
  package init(from reader: inout FieldReader) throws(FieldReader.Damage) {
    self.init(try reader.integer(), try reader.integer())
  }
}
