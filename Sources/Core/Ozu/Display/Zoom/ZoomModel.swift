import OzuBase
import OzuCaching

/// The model of a view that zooms and moves a picture of any size: the whole picture at the size of the view, and
/// over it the visible part as sharp as the screen.
///
/// ```swift
/// let model = ZoomModel()
/// model.onChange = { view.redraw() }
/// model.resize(to: view.sizeInPixels)
/// model.setImage(ImageRequest(url: url))
/// // In the view's drawing: each layer's picture at `model.geometry!.place(of: layer.region)`, in their order.
/// ```
///
/// The visible part is loaded in squares of 512 pixels, at the level of half sizes that the scale needs, the nearest
/// to the middle first. A square that leaves the visible part before it is loaded is cancelled. If parts of a file
/// can be decoded alone (`ImageHeader.hasParts`), only the squares are decoded.
///
/// Any other file, and one that no store keeps (no disk cache, or the policy `bypass`), is decoded once when it is first zoomed, and
/// its pixels are kept within `wholeByteBudget`: the squares of all levels are cut from them. A picture that does not fit is kept at
/// the finest level that does. At finer levels a part of it is kept instead, as large as the budget: the visible part and its
/// surroundings. The file is decoded again only when the view leaves that part or the level. A format that cannot be decoded without
/// memory for all its pixels, and that has too many for `DecodingLimits`, is shown enlarged from its finest whole picture.
///
/// Animations, and requests with steps after the resize, are loaded whole for each level, as large as `byteBudget`
/// allows. If steps turn a picture, cut off parts or add some, the geometry is that of their result.
///
/// If a view has an `ImageBinding`, the binding loads the whole picture, with placeholder, previews, progress and
/// animation, and passes it to the model (`follow(_:of:)`); the model then loads only the squares.
///
/// Squares that are not visible are kept while they fit into `byteBudget`; those that were visible longest ago are
/// released first. Squares that are cut from kept pixels have a quarter of that budget. When memory runs short (the
/// pipeline's `caching.memoryCache.pressure`), everything that is not visible is released. The model belongs to one view, on
/// the main actor.
@MainActor
public final class ZoomModel {
  /// A picture, and the part of the whole that it shows, in pixels of the whole.
  public struct Layer: Sendable {
    /// The pixels.
    public let picture: Picture
    /// The part of the picture that they show.
    public let region: PixelRegion
  }

  /// Called when the view must be drawn again.
  public var onChange: @MainActor () -> Void = {}
  /// The limit in bytes for squares that are not visible. 48 MB by default.
  public var byteBudget = 48 << 20
  /// The limit in bytes for the kept pixels of a file whose parts cannot be decoded alone. 96 MB by default: 25
  /// megapixels.
  public var wholeByteBudget = 96 << 20
  /// The geometry of the picture under the view; `nil` until its size is known.
  public internal(set) var geometry: ZoomGeometry?
  /// The error of the load; `nil` if it has not failed.
  public private(set) var failure: ImageError?

  let loader: any DisplayLoading
  /// The size of the view in pixels of the screen, as last set by `resize(to:)`.
  public private(set) var viewSize = PixelSize(0, 0)
  var request: ImageRequest?
  /// Whether a binding loads the whole picture.
  var isFollowing = false
  /// The number of the current request. Events of loads with another number are ignored.
  private(set) var number = 0
  var base: Whole?
  private var baseLoad: DisplayLoad?
  var tiles: [ZoomTile: Tile] = [:]
  var visible: [ZoomTile] = []
  var clock = 0
  var keeping = Keeping()
  private var pressure: MemoryPressureObservation?

  /// The whole picture at some size.
  struct Whole {
    var picture: Picture
    var size: PixelSize
  }

  struct Tile {
    var picture: Picture?
    var load: DisplayLoad?
    var hasFailed = false
    var lastUse: Int
  }

  /// Makes a model that loads through a pipeline.
  public convenience init(pipeline: ImagePipeline = .shared) {
    self.init(loader: PipelineLoading(pipeline: pipeline))
  }

  init(loader: any DisplayLoading) {
    self.loader = loader
    pressure = observeMemoryPressure()
  }

  // MARK: The shown picture

  /// Shows another picture, fitted to the view. The size and the region of the request are ignored.
  public func setImage(_ request: ImageRequest) {
    clear()
    isFollowing = false
    self.request = Self.plain(request)
    loadBase()
  }

  /// The request without its size and region.
  static func plain(_ request: ImageRequest) -> ImageRequest {
    var request = request
    request.resize = nil
    return request
  }

  /// Shows nothing, and cancels all loads.
  public func clear() {
    number += 1
    request = nil
    isFollowing = false
    geometry = nil
    failure = nil
    base = nil
    baseLoad = nil
    removeSquares()
    onChange()
  }

  /// Removes the squares and the pixels from which they are cut, and cancels their loads.
  private func removeSquares() {
    tiles = [:]
    visible = []
    keeping = Keeping()
  }

  /// Sets the size of the view, in pixels of the screen.
  public func resize(to size: PixelSize) {
    guard size != viewSize else { return }
    viewSize = size
    if var geometry {
      geometry.resize(to: size)
      self.geometry = geometry
    }
    update()
  }

  /// Zooms or moves: changes the geometry, and loads the squares that become visible.
  public func change(_ change: (inout ZoomGeometry) -> Void) {
    guard var geometry else { return }
    change(&geometry)
    guard geometry != self.geometry else { return }
    self.geometry = geometry
    update()
  }

  /// Loads a picture again that has failed. Its origin is asked in spite of a remembered failure.
  public func retry() {
    guard let request, failure != nil else { return }
    loader.forgetFailures(of: request)
    setImage(request)
  }

  /// The layers to draw, in this order: coarser ones first. Squares that are not visible are left out.
  public var layers: [Layer] {
    guard let geometry, let base else { return [] }
    var layers = [Layer(picture: base.picture, region: PixelRegion(geometry.pictureSize))]
    guard isSharpened else { return layers }
    let seen = geometry.visible
    // Coarser squares replace those that are not loaded yet; finer ones cover them.
    let present = tiles.compactMap { tile, state in
      state.picture.map {
        (tile, Layer(picture: $0, region: PixelRegion(tile.region(of: geometry.pictureSize))))
      }
    }.filter { $0.1.region.intersects(seen) && $0.0.level >= ZoomTile.level(for: geometry.scale) }
    layers += present.sorted { $0.0.level > $1.0.level }.map(\.1)
    return layers
  }

  /// Whether a visible part is still loading.
  public var isLoading: Bool {
    baseLoad != nil || keeping.load != nil || visible.contains { tiles[$0]?.load != nil }
  }

  // MARK: The whole picture

  /// The request for the picture, and for further pictures of its source: once it is there, a reload is not made again.
  var further: ImageRequest? { base?.picture.isPreview == false ? request?.afterReload : request }

  func loadBase() {
    guard let request = further, !isFollowing, failure == nil, baseLoad == nil, !viewSize.isEmpty
    else { return }
    let wanted = wholeSize
    if let base, let full = geometry?.pictureSize {
      let file = fileSize ?? full
      // What the picture takes of the view: all of its height if it is higher than wide.
      func fitted(_ size: PixelSize) -> PixelSize {
        ResizeGeometry(source: file, resize: Resize(size)).outputSize
      }
      let (had, needed) = (fitted(base.size), fitted(wanted))
      if had.width >= needed.width && had.height >= needed.height || base.picture.size == full { return }
    }
    var whole = request
    whole.resize = Resize(wanted)
    let number = number
    baseLoad = loader.load(whole) { [weak self] event in
      guard let self, self.number == number else { return }
      self.receiveBase(event, wanted)
    }
  }

  /// The size at which the whole picture is loaded: the size of the view; or, if the picture has no squares, the size
  /// of the whole picture on the screen, as far as the budget allows.
  public var wholeSize: PixelSize {
    guard let geometry, sharpening == .whole, geometry.scale > geometry.fittingScale else { return viewSize }
    // Steps come after the resize: they may turn the picture.
    let file = fileSize ?? geometry.pictureSize
    var level = ZoomTile.level(for: geometry.scale)
    func side(_ length: Int) -> Int { max(1, length >> level) }
    while side(file.width) * side(file.height) * 4 > byteBudget, level < 30 { level += 1 }
    return PixelSize(max(viewSize.width, side(file.width)), max(viewSize.height, side(file.height)))
  }

  private var fileSize: PixelSize? {
    guard let size = base?.picture.header?.size, !size.isEmpty else { return nil }
    return size
  }

  private func receiveBase(_ event: ImageTask.Event, _ wanted: PixelSize) {
    switch event {
    case .preview(let response):
      if base == nil { show(response.picture, wanted) }
    case .finished(.success(let response)):
      baseLoad = nil
      show(response.picture, wanted)
      update()
    case .finished(.failure(let error)):
      baseLoad = nil
      // A preview is not the picture.
      if base?.picture.isPreview ?? true { failure = error }
      onChange()
    case .progress, .size: break
    }
  }

  private func show(_ picture: Picture, _ wanted: PixelSize) {
    setFullSize(fullSize(of: picture, for: request))
    guard geometry != nil else { return }
    base = Whole(picture: picture, size: wanted)
    onChange()
  }

  /// The size of a picture in the pixels of its file. If steps have changed its proportions it has those of the result, and as
  /// many pixels as the file.
  private func fullSize(of picture: Picture, for request: ImageRequest?) -> PixelSize {
    guard let file = picture.header?.size, !file.isEmpty else { return picture.size }
    guard let request, !request.processors.isEmpty else { return file }
    // A larger result has slightly other proportions, as borders keep their width: its place would be lost.
    if let known = geometry?.pictureSize, let base, !base.picture.isPreview, fileSize == file { return known }
    let (width, height) = (Double(picture.size.width), Double(picture.size.height))
    for known in [file, geometry?.pictureSize ?? file] {
      let ratio = Double(known.width) * height / (Double(known.height) * width)
      // Sides are rounded to whole pixels.
      if abs(ratio - 1) < max(0.02, 1 / min(width, height)) { return known }
    }
    let factor = (Double(file.width) * Double(file.height) / (width * height)).squareRoot()
    func side(_ length: Double) -> Int { max(1, Int(clamping: length * factor, rounded: .toNearestOrEven)) }
    return PixelSize(side(width), side(height))
  }

  func setFullSize(_ full: PixelSize) {
    guard !full.isEmpty, geometry?.pictureSize != full else { return }
    // They are those of another picture.
    removeSquares()
    geometry = ZoomGeometry(pictureSize: full, viewSize: viewSize)
  }

}

extension PixelRegion {
  fileprivate func intersects(_ other: PixelRegion) -> Bool {
    x < other.x + other.width && other.x < x + width && y < other.y + other.height && other.y < y + height
  }
}

extension ZoomModel {
  /// Takes over the content of a view. Call this from `ImageDisplaying.show`.
  ///
  /// A picture of another request is fitted to the view. A placeholder or preview reserves its space as soon as the
  /// size of the picture is known. A frame changes nothing: the view draws it at the position of the picture.
  ///
  /// - Parameter request: the request of the binding.
  public func follow(_ content: DisplayContent, of request: ImageRequest?) {
    switch content {
    case .nothing, .failure, .toolkitImage: clear()
    case .placeholder(let picture):
      clear()
      stand(in: picture, for: request)
    case .preview(let picture):
      // A view may keep the picture of another request until then.
      if isFollowing, !isFollowing(request) { clear() }
      stand(in: picture, for: request)
    case .picture(let picture):
      guard let request else { return }
      if !isFollowing(request) {
        clear()
      } else if let old = base?.picture, old.size == picture.size,
        !old.bitmap.sharesPixels(with: picture.bitmap)
      {
        // A newer version of the same size.
        removeSquares()
      }
      isFollowing = true
      self.request = Self.plain(request)
      setFullSize(fullSize(of: picture, for: request))
      guard geometry != nil else { return }
      base = Whole(picture: picture, size: picture.size)
      update()
    case .frame: break
    }
  }

  /// Whether the picture belongs to a request.
  public func isFollowing(_ request: ImageRequest?) -> Bool {
    guard isFollowing, let request, let own = self.request else { return false }
    return own.key == Self.plain(request).key
  }

  /// Reserves space for a picture that is still loading.
  private func stand(in picture: Picture, for request: ImageRequest?) {
    guard let size = picture.header?.size, !size.isEmpty else { return }
    setFullSize(fullSize(of: picture, for: request))
    onChange()
  }
}
