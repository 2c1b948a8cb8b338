import OzuBase
import OzuHTTP

/// A request for a picture: the source, the recipe, and the rules of the load. A value.
///
/// ```swift
/// var request = ImageRequest(url: url, resize: Resize(.init(width: 320, height: 240), mode: .aspectFill))
/// request.priority = .high
/// let picture = try await pipeline.image(for: request)
/// ```
///
/// Cheap to copy and to pass: 48 bytes, with one reference to storage that copies share until one of them is
/// changed.
public struct ImageRequest: Sendable {
  /// The identity of the result in every cache.
  public private(set) var key: ImageKey
  private var shared: Shared
  /// The priority of the load.
  public var priority: ImagePriority
  /// How the caches are used.
  public var cachePolicy: CachePolicy
  /// The caches that may answer, if `cachePolicy` allows it. All by default.
  ///
  /// With `.originals` alone the picture is made from the original, never from a cached rendition or a running load.
  /// Renditions may have losses, so use this for pictures that are encoded again: the result is the same in every
  /// state of the caches.
  public var readLayers: ImagePipeline.CacheLayers = .all
  /// The caches into which the result is written, if `cachePolicy` allows it. All by default.
  public var writeLayers: ImagePipeline.CacheLayers = .all
  /// Whether a picture in memory can be returned unchanged: there is no format to note, no scale to apply and no
  /// local file to check. Stored inline next to the key, so that such a memory hit does not touch the shared storage.
  private(set) var needsNoAdjustment: Bool

  // It is lent, as the recipe is: a copy counts a dozen references.
  var fields: Fields { _read { yield shared.fields } }

  /// Changes the fields of this copy.
  mutating func change(_ change: (inout Fields) -> Void) {
    var fields = shared.fields
    change(&fields)
    needsNoAdjustment = fields.needsNoAdjustment
    shared = Shared(fields)
  }

  /// Changes fields that are part of the key.
  mutating func changeRecipe(_ change: (inout Fields) -> Void) {
    self.change(change)
    key = shared.fields.key
  }

  /// Makes a request.
  ///
  /// - Parameters:
  ///   - source: where the image comes from.
  ///   - resize: the resize; `nil` (the default) for the picture at its own size.
  ///   - processors: the steps that follow the resize; none by default.
  ///   - cacheKey: an identity to use instead of the source's own, for example for URLs that contain a changing
  ///     token.
  ///   - format: the cache format, whose resize replaces `resize`; none by default.
  public init(
    _ source: ImageSource, resize: Resize? = nil, processors: [any ImageProcessing] = [],
    priority: ImagePriority = .normal, cachePolicy: CachePolicy = .useCaches, cacheKey: String? = nil,
    format: CacheFormat? = nil
  ) {
    let source = source.resolved
    let fields = Fields(
      source: source, sourceKey: cacheKey.map(ImageSource.ownKey) ?? source.key, hasOwnKey: cacheKey != nil,
      recipe: Recipe(resize: resize, processors: processors, format: format))
    key = fields.key
    needsNoAdjustment = fields.needsNoAdjustment
    shared = Shared(fields)
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

  /// The same request in a cache format, whose resize replaces `resize`.
  public func inFormat(_ format: CacheFormat) -> ImageRequest {
    var request = self
    request.changeRecipe {
      let (_, decoding, processors, _) = $0.recipe.parts
      $0.recipe = Recipe(decoding: decoding, processors: processors, format: format)
    }
    return request
  }

  // MARK: Source and recipe

  /// Where the image comes from.
  public var source: ImageSource { fields.source }

  /// Whether its source is drawn from other pictures, which its pipeline loads.
  var isForCanvas: Bool { shared.isForCanvas }

  /// The resize; `nil` for the picture at its own size.
  public var resize: Resize? {
    get { recipe.parts.resize }
    set { changeRecipe { $0.recipe.parts.resize = newValue } }
  }

  /// The part of the upright picture to which the resize is applied, in its pixels; `nil` (the default) for the whole
  /// picture.
  ///
  /// Without a resize the part has its own size. Parts are cached in memory only. They are made from the original; a
  /// JPEG with a single scan is read whole once, and then only the part is decoded. A load fails with
  /// `ImageError.regionOutside` if the whole part is outside the picture.
  public var region: PixelRectangle? {
    get { recipe.parts.resize?.region }
    set {
      guard var resize = recipe.parts.resize else {
        self.resize = newValue.map { Resize(region: $0) }
        return
      }
      if resize.mode == ScaleMode.none, let newValue { resize.size = newValue.size }
      resize.region = newValue
      self.resize = resize
    }
  }

  /// The cache format, whose resize is then `resize`; `nil` for none.
  public var format: CacheFormat? { shared.format }

  /// The steps that follow the resize, in their order.
  public var processors: [any ImageProcessing] {
    get { recipe.parts.processors }
    set { changeRecipe { $0.recipe.parts.processors = newValue } }
  }

  /// The number of pixels per point of the resulting picture (`Picture.scale`); 1 by default. Requests that differ
  /// only in this share their pixels.
  public var scale: Double {
    get { fields.scale }
    set { change { $0.scale = newValue } }
  }

  /// The HDR headroom of the display, in stops: the power of two by which its brightest white is brighter than the
  /// white of other pictures (ISO 21496-1). `nil` (the default) for a display without headroom; at most 6.
  ///
  /// The gain map of a picture (`ImageHeader.gainMap`) is applied for this headroom. The picture then has the pixel
  /// format `rgba16` and the transfer PQ, with white at 203 candelas per square metre
  /// (`ColorSpaceTag.coded(primaries: 1, transfer: 16)`). `EncodedImage`s keep this in formats that can state it:
  /// PNG, AVIF and JPEG XL. In other formats they contain the picture without headroom, and a note. Part of the
  /// picture's identity. On disk such a picture is stored as PNG, in all its bits.
  public var headroomStops: Double? {
    get { decoding.headroomStops }
    set { decoding.setHeadroom(newValue) }
  }

  /// The treatment of colours that are not sRGB; `nil` (the default) for that of the pipeline (`decoding.colorPolicy`).
  ///
  /// Under `keepForFile` and `keep` the pixels keep all bits of the file (`PixelFormat.rgba16`), through the resize,
  /// the caches and the processors that work in 16 bits, and `Bitmap.colorSpace` states their meaning. A picture with
  /// 16 bits is stored on disk without loss. A picture whose colours no file can state is not stored, and is made
  /// from its original each time: inks, and grey under a profile, which `keepForFile` converts.
  ///
  /// Part of the picture's identity. For an `EncodedImage`, `OutputFormat.colorProfile` decides instead.
  public var colorPolicy: ColorPolicy? {
    get { decoding.policy }
    set { decoding.policy = newValue }
  }

  /// Whether a file that ends too early gives the part of its picture that is there. Off by default: such a load fails
  /// with `ImageError.Kind.truncatedData`.
  ///
  /// For JPEG, PNG, WebP, GIF, BMP, ICO, JPEG XL, PNM, QOI, TGA, PSD and the previews of camera RAW. The missing part is
  /// transparent, or grey in a picture without alpha; `Picture.notes` says that the file is cut off. A download that ends
  /// before the length that the server has stated fails all the same, because the rest can be loaded. Frames of an
  /// animation that are wholly there are always played.
  ///
  /// Part of the picture's identity: no other request gets a part in place of the whole.
  public var allowsTruncation: Bool {
    get { decoding.allowsTruncation }
    set { decoding.allowsTruncation = newValue }
  }

  // MARK: Rules of the load

  /// The largest duration of the load, from the call on; `nil` (the default) for the limits of the pipeline only.
  /// After that the request fails with `ImageError.deadlineExceeded`; work that other requests share continues.
  public var deadline: Duration? {
    get { fields.deadline }
    set { change { $0.deadline = newValue } }
  }

  /// The HTTP rules for this request; `nil` (the default) for those of the pipeline.
  ///
  /// `.ignoring(lifetime:)` ignores the rules of the server for one request, except `no-store`.
  public var httpPolicy: HTTPCachePolicy? {
    get { fields.httpPolicy }
    set { change { $0.httpPolicy = newValue } }
  }

  /// The results that are kept on disk; `nil` (the default) for the policy of the pipeline.
  public var storagePolicy: StoragePolicy? {
    get { fields.storagePolicy }
    set { change { $0.storagePolicy = newValue } }
  }

  /// The formats that the server may send; `nil` (the default) for those of the pipeline.
  ///
  /// Not part of the picture's identity: a cached picture is served in any format. Downloads are not shared with
  /// requests that accept other formats.
  public var acceptance: ImageAcceptance? {
    get { fields.acceptance }
    set { change { $0.acceptance = newValue } }
  }

  // MARK: Internal values

  /// The identity of the source as a text.
  var sourceKey: String { fields.sourceKey }

  /// Everything that changes the picture, except its source.
  var recipe: Recipe { _read { yield shared.fields.recipe } }

  /// How the file is decoded; part of the recipe.
  var decoding: RequestedDecoding {
    get { recipe.parts.decoding }
    set { if newValue != recipe.parts.decoding { changeRecipe { $0.recipe.parts.decoding = newValue } } }
  }

  /// Whether the app has set a key.
  var hasOwnKey: Bool { fields.hasOwnKey }

  /// Whether the cached picture must be changed to the scale of the request.
  var hasScale: Bool { fields.scale != 1 }

  /// The label of the result in listings of stores: the source without its secrets, then the steps.
  var label: String { EntryLabel.text(ofSource: sourceKey, steps: steps) }

  /// The identifiers of all steps, in order.
  var steps: [String] { recipe.steps }

  /// Whether the result differs from the source's own picture, and so has its own entry in the caches.
  var hasRecipe: Bool { format != nil || resize != nil || !processors.isEmpty }
}

/// Sources that are loaded instead of the main one.
extension ImageRequest {
  /// Sources to try in this order if the main source fails, such as a mirror or a smaller version. Each is cached
  /// under its own key.
  public var alternatives: [ImageSource] {
    get { fields.alternatives }
    set { change { $0.alternatives = newValue } }
  }

  /// The source to load instead while the user wants to save data (Low Data Mode on Apple platforms): a smaller
  /// version. `nil` (the default) loads the main source then too. It is cached under its own key; a cached picture of
  /// the main source is preferred.
  public var lowDataSource: ImageSource? {
    get { fields.lowDataSource }
    set { change { $0.lowDataSource = newValue } }
  }

  /// Whether there is another source to try.
  var hasAlternatives: Bool { !fields.alternatives.isEmpty || hasLowDataSource }

  /// Whether there is another source for saving data.
  var hasLowDataSource: Bool { shared.hasLowDataSource }

  /// The sources to try after a failure of the first, in this order.
  func substitutes(after error: ImageError) -> [ImageSource] {
    guard let lowDataSource, error.kind == .transport, error.httpError?.reason == .constrainedNetwork else {
      return alternatives
    }
    return [lowDataSource] + alternatives
  }

  /// The same request for another source, without alternatives.
  func alternative(_ source: ImageSource) -> ImageRequest {
    var request = self
    let source = source.resolved
    request.changeRecipe {
      $0.source = source
      $0.sourceKey = source.key
      $0.hasOwnKey = false
      $0.alternatives = []
      $0.lowDataSource = nil
    }
    return request
  }
}

extension ImageRequest {
  /// The storage that copies share. Immutable.
  final class Shared: Sendable {
    let fields: Fields
    // Worked out once, because every job asks for them, and reading large fields copies them.
    let downloadRules: DownloadRules
    let renditionPlace: RenditionPlace
    let hasLowDataSource: Bool
    let isForCanvas: Bool
    /// For its room on disk, which may change.
    let format: CacheFormat?

    init(_ fields: consuming Fields) {
      format = fields.recipe.parts.format
      downloadRules = DownloadRules.of(fields)
      renditionPlace = fields.renditionPlace
      hasLowDataSource = fields.lowDataSource != nil
      isForCanvas = fields.source.isCanvas
      self.fields = fields
    }
  }

  /// The rules of its own for its download.
  var downloadRules: DownloadRules { shared.downloadRules }

  /// Where its finished picture is on disk, if it is there.
  var renditionPlace: RenditionPlace {
    if let format = shared.format, format.diskCapacity == 0 { return .none }
    return shared.renditionPlace
  }

  /// The fields of a request.
  struct Fields: Sendable {
    var source: ImageSource
    var sourceKey: String
    var hasOwnKey: Bool
    var recipe: Recipe
    var scale = 1.0
    var deadline: Duration?
    var httpPolicy: HTTPCachePolicy?
    var storagePolicy: StoragePolicy?
    var acceptance: ImageAcceptance?
    var alternatives: [ImageSource] = []
    var lowDataSource: ImageSource?
    var userInfo: [UserInfoKey: any Sendable] = [:]

    var key: ImageKey { recipe.key(of: source.cacheKey(for: sourceKey)) }

    var needsNoAdjustment: Bool { recipe.parts.format == nil && scale == 1 && !source.isLocalFile }
  }
}

extension ImageRequest {
  /// The key of a value that the app attaches to its requests.
  ///
  /// ```swift
  /// extension ImageRequest.UserInfoKey { static let screen: Self = "screen" }
  /// let request = ImageRequest(url: url).with { $0.userInfo[.screen] = "gallery" }
  /// ```
  public struct UserInfoKey: Hashable, Sendable, RawRepresentable, ExpressibleByStringLiteral {
    /// The name.
    public let rawValue: String

    /// Makes a key from a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Makes a key from a name.
    public init(stringLiteral value: String) { rawValue = value }
  }

  /// Values that the app finds again in tasks and responses. The pipeline does not read them, and they are not part
  /// of keys.
  public var userInfo: [UserInfoKey: any Sendable] {
    get { fields.userInfo }
    set { change { $0.userInfo = newValue } }
  }
}
