import Foundation
import OzuHTTP

/// What to load, what to make of it, and how: a value.
///
/// ```swift
/// var request = ImageRequest(url: url, resize: Resize(.init(width: 320, height: 240), mode: .aspectFill))
/// request.priority = .high
/// let picture = try await pipeline.image(for: request)
/// ```
///
/// Cheap to copy and to pass around: 48 bytes, and one count of what copies share until one of them is changed.
public struct ImageRequest: Sendable {
  /// The identity of the result in every cache.
  public private(set) var key: ImageKey
  private var shared: Shared
  /// How urgent it is.
  public var priority: ImagePriority
  /// How the caches are used.
  public var cachePolicy: CachePolicy
  /// The caches that may answer, as far as `cachePolicy` lets them. All by default.
  ///
  /// With `.originals` alone the picture is made from the bytes of its source, never from a picture that a cache has or
  /// that is being made. Renditions on disk may be lossy, so this is the choice for pictures that are encoded again: the
  /// result is the same in every state of the caches.
  public var readLayers: ImagePipeline.CacheLayers = .all
  /// The caches that the result is put into, as far as `cachePolicy` lets it. All by default.
  public var writeLayers: ImagePipeline.CacheLayers = .all
  /// Whether a picture in memory can be given as it is: no format is to be noted, no scale to be applied and no file to
  /// be looked at. Beside the key, because a memory hit that finds all it needs there touches nothing else.
  private(set) var isPlain: Bool
  /// Whether its source is on the web for certain, as far as a look at the text of its address tells. Beside the key, for
  /// thousands of loads that are started and thrown away.
  private(set) var isOnWeb: Bool

  var fields: Fields { shared.fields }

  /// Changes what copies share, for this one alone.
  mutating func change(_ change: (inout Fields) -> Void) {
    var fields = shared.fields
    change(&fields)
    shared = Shared(fields)
    isPlain = fields.isPlain
    isOnWeb = fields.isOnWeb
  }

  /// Changes what the key is made of.
  mutating func changeRecipe(_ change: (inout Fields) -> Void) {
    self.change(change)
    key = shared.fields.key
  }

  /// Makes a request.
  ///
  /// - Parameters:
  ///   - source: where the image comes from.
  ///   - resize: the recipe; `nil` (the default) for the whole picture.
  ///   - processors: the steps that follow the resize; none by default.
  ///   - cacheKey: an identity to use in place of the source's own, for example for addresses that carry a
  ///     token that changes.
  ///   - format: the format, whose recipe takes the place of `resize`; none by default.
  public init(
    _ source: ImageSource, resize: Resize? = nil, processors: [any ImageProcessing] = [],
    priority: ImagePriority = .normal, cachePolicy: CachePolicy = .useCaches, cacheKey: String? = nil,
    format: CacheFormat? = nil
  ) {
    let source = source.resolved
    let fields = Fields(
      source: source, sourceKey: cacheKey.map(ImageSource.ownKey) ?? source.key, hasOwnKey: cacheKey != nil,
      format: format, resize: Self.effective(format.map(\.resize) ?? resize), processors: processors)
    shared = Shared(fields)
    key = fields.key
    isPlain = fields.isPlain
    isOnWeb = fields.isOnWeb
    self.priority = priority
    self.cachePolicy = cachePolicy
  }

  /// Makes a request for a URL: web, file or `data:`.
  public init(
    url: URL, resize: Resize? = nil, processors: [any ImageProcessing] = [],
    priority: ImagePriority = .normal, cachePolicy: CachePolicy = .useCaches, cacheKey: String? = nil,
    format: CacheFormat? = nil
  ) {
    self.init(
      .url(url), resize: resize, processors: processors, priority: priority, cachePolicy: cachePolicy,
      cacheKey: cacheKey, format: format)
  }

  /// The same request in a format, whose recipe takes the place of `resize`.
  public func inFormat(_ format: CacheFormat) -> ImageRequest {
    var request = self
    request.changeRecipe {
      $0.format = format
      $0.resize = Self.effective(format.resize)
    }
    return request
  }

  /// A recipe that changes nothing shares the place of the whole picture.
  private static func effective(_ resize: Resize?) -> Resize? {
    resize?.changesNothing == true ? nil : resize
  }

  // MARK: What is wanted

  /// Where the image comes from.
  public var source: ImageSource { fields.source }

  /// The recipe; `nil` for the picture at its own size.
  public var resize: Resize? {
    get { fields.resize }
    set { changeRecipe { $0.resize = Self.effective(newValue) } }
  }

  /// The part of the upright picture that the recipe is applied to, in its pixels; `nil` (the default) for all of it.
  ///
  /// Without a recipe the part is shown at its own size. Parts are kept in memory, not on disk: they are made of the original, of a
  /// JPEG that comes in one pass without decoding the rest of it, once it has been read whole. A load fails with
  /// `ImageError.regionOutside` where the part lies outside the picture as a whole.
  public var region: PixelRectangle? {
    get { fields.resize?.region }
    set {
      guard var resize = fields.resize else {
        self.resize = newValue.map { Resize(region: $0) }
        return
      }
      if resize.mode == ScaleMode.none, let newValue { resize.size = newValue.size }
      resize.region = newValue
      self.resize = resize
    }
  }

  /// The format, whose recipe is then `resize`; `nil` for none.
  public var format: CacheFormat? { fields.format }

  /// The steps that follow the resize, in their order.
  public var processors: [any ImageProcessing] {
    get { fields.processors }
    set { changeRecipe { $0.processors = newValue } }
  }

  /// How many pixels make one point of the picture that is answered (`Picture.scale`); 1 by default. Requests that
  /// differ in nothing else share their pixels.
  public var scale: Double {
    get { fields.scale }
    set { change { $0.scale = newValue } }
  }

  /// The HDR headroom of the display, in stops: the power of two by which its brightest white is brighter than the white of
  /// other pictures (ISO 21496-1). `nil` (the default) for a display that has none; at most 6.
  ///
  /// The gain map of a picture (`ImageHeader.gainMap`) is applied for it. The picture then comes in `rgba16` under PQ with white
  /// at 203 candelas per square metre (`ColorSpaceTag.coded(primaries: 1, transfer: 16)`), and `EncodedImage`s keep that in formats
  /// that can say it: PNG, AVIF and JPEG XL. Others get the picture as it is without a headroom, and a note.
  /// Part of the picture's identity. On disk such a picture is kept as PNG, in all its bits.
  public var headroomStops: Double? {
    get { fields.colors.headroomStops }
    set {
      var changed = fields.colors
      changed.setHeadroom(newValue)
      colors = changed
    }
  }

  /// What becomes of colours that are not sRGB; they are converted by default.
  ///
  /// Under `keepForFile` and `keep` pixels come in all the bits that the file has (`PixelFormat.rgba16`), through resize, caches and
  /// the processors that work in 16 bits, and `Bitmap.colorSpace` says what they mean. On disk such a picture is kept without loss
  /// where it has 16 bits; it is not kept, and made of its original each time, where no file can say its colours:
  /// inks and grey under a profile, which `keepForFile` converts.
  ///
  /// Part of the picture's identity. Of an `EncodedImage`, `OutputFormat.colorProfile` decides instead.
  public var colorPolicy: ColorPolicy {
    get { fields.colors.policy }
    set {
      var changed = fields.colors
      changed.policy = newValue
      colors = changed
    }
  }

  // MARK: How it is loaded

  /// How long the load may take, from the call on; `nil` (the default) for no limit but those of the pipeline.
  /// What is not done by then fails with `ImageError.deadlineExceeded`; work that others share goes on.
  public var deadline: Duration? {
    get { fields.deadline }
    set { change { $0.deadline = newValue } }
  }

  /// The HTTP rules for this request; `nil` (the default) for those of the pipeline.
  ///
  /// `.ignoring(lifetime:)` makes an aggressive cache of one request.
  public var httpPolicy: HTTPCachePolicy? {
    get { fields.httpPolicy }
    set { change { $0.httpPolicy = newValue } }
  }

  /// What of the load is kept on disk; `nil` (the default) for what the pipeline keeps.
  public var storagePolicy: StoragePolicy? {
    get { fields.storagePolicy }
    set { change { $0.storagePolicy = newValue } }
  }

  /// The formats that the server may send; `nil` (the default) for those of the pipeline.
  ///
  /// Not a part of the picture's identity: a picture that a cache has is served whatever format it came in. Bytes are not
  /// shared with requests that accept other formats.
  public var acceptance: ImageAcceptance? {
    get { fields.acceptance }
    set { change { $0.acceptance = newValue } }
  }

  // MARK: Inside

  /// What tells the source from others, in words.
  var sourceKey: String { fields.sourceKey }

  /// What becomes of colours: part of the recipe.
  var colors: RequestedColors {
    get { fields.colors }
    set { if newValue != fields.colors { changeRecipe { $0.colors = newValue } } }
  }

  /// Whether colours are converted to sRGB, as those of all pictures are of which smaller ones are made.
  var convertsColors: Bool { fields.colors == .converted }

  /// Whether the app has given it a key.
  var hasOwnKey: Bool { fields.hasOwnKey }

  /// Whether the answer is the picture as it is cached.
  var hasScale: Bool { fields.scale != 1 }

  /// What the caches' listings call the result: the source without what may be secret, and what is done with it.
  var label: String { EntryLabel.text(ofSource: sourceKey, steps: steps) }

  /// The identifiers of all that is done with the source, in order.
  var steps: [String] { fields.steps }

  /// Whether the result is more than the source's own picture, and has a place of its own in the caches.
  var hasRecipe: Bool { fields.format != nil || fields.resize != nil || !fields.processors.isEmpty }
}
