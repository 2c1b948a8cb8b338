import OzuCaching

/// What a view shows of a picture of any size that people zoom and move: the whole picture at the size of the view, and over
/// it what is seen of it, as sharp as the screen.
///
/// ```swift
/// let model = ZoomModel()
/// model.onChange = { view.redraw() }
/// model.resize(to: view.sizeInPixels)
/// model.setImage(ImageRequest(url: url))
/// // In the view's drawing: each layer's picture at `model.geometry!.place(of: layer.region)`, in their order.
/// ```
///
/// What is seen is loaded in squares of 512 pixels, at the level of half sizes that the scale needs: those in sight, the nearest
/// to the middle first. A square that leaves sight before it is there is called off. Of a file whose parts are decoded alone
/// (`ImageHeader.hasParts`) only the squares are decoded.
///
/// Any other file is decoded once when it is first zoomed, and its pixels are kept within `wholeByteBudget`: the squares of all
/// levels are cut from them. A picture that does not fit is kept at the finest level that does. At finer levels a part of it is
/// kept in its place, as large as the budget: what is in sight, and what lies around it. Only where sight leaves that part, or the
/// level, the file is decoded again. A format that cannot be decoded without memory for all its pixels, and has too many for
/// `DecodingLimits`, shows its finest whole enlarged.
///
/// Pictures that move, and requests with steps after the resize, come as a whole for each level, as large as `byteBudget` allows.
///
/// A view that has an `ImageBinding` lets the binding load the whole picture, with placeholder, parts, progress and animation, and
/// tells the model of it (`follow(_:of:)`); the model then loads the squares alone.
///
/// Squares that are out of sight are kept while they fit into `byteBudget`, and go in the order in which they were
/// last seen; of those that are cut from kept pixels a quarter as many. When memory runs short (the pipeline's
/// `caching.memoryCache.pressure`), all goes that is not in sight. The model belongs to one view, on the main actor.
@MainActor
public final class ZoomModel {
  /// A picture, and the part of the whole that it shows, in pixels of the whole.
  public struct Layer: Sendable {
    /// The pixels.
    public let picture: Picture
    /// Where they belong.
    public let region: PixelRegion
  }

  /// Called when something else is to be drawn.
  public var onChange: @MainActor () -> Void = {}
  /// The most bytes of squares that are kept, but for those in sight. 48 MB by default.
  public var byteBudget = 48 << 20
  /// The most bytes of pixels that are kept of a file whose parts are not decoded alone. 96 MB by default: 25 megapixels.
  public var wholeByteBudget = 96 << 20
  /// How the picture lies under the view; `nil` until its size is known.
  public internal(set) var geometry: ZoomGeometry?
  /// Why there is no picture; `nil` while there may be one.
  public private(set) var failure: ImageError?

  let loader: any DisplayLoading
  /// The size of the view, in pixels of the screen: what `resize(to:)` was told last.
  public private(set) var viewSize = PixelSize(0, 0)
  var request: ImageRequest?
  /// Whether a binding loads the whole picture.
  var isFollowing = false
  /// Loads that began for another request, or another size of the view, are told apart by it.
  private(set) var number = 0
  var base: Whole?
  private var baseLoad: DisplayLoad?
  private var tiles: [ZoomTile: Tile] = [:]
  private var visible: [ZoomTile] = []
  private var clock = 0
  /// Pixels that squares are cut from.
  var keeping = Keeping()
  private var pressure: MemoryPressureObservation?

  /// The whole picture at some size.
  struct Whole {
    var picture: Picture
    var size: PixelSize
  }

  private struct Tile {
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

  // MARK: What is shown

  /// Shows another picture, fitted to the view. Its request's own size and part, if it has any, do not count.
  public func setImage(_ request: ImageRequest) {
    clear()
    isFollowing = false
    self.request = Self.plain(request)
    loadBase()
  }

  /// A request without a size and a part of its own.
  static func plain(_ request: ImageRequest) -> ImageRequest {
    var request = request
    request.resize = nil
    return request
  }

  /// Shows nothing, and calls off what is loading.
  public func clear() {
    number += 1
    request = nil
    isFollowing = false
    geometry = nil
    failure = nil
    base = nil
    baseLoad = nil
    tiles = [:]
    visible = []
    keeping = Keeping()
    onChange()
  }

  /// Tells the size of the view, in pixels of the screen.
  public func resize(to size: PixelSize) {
    guard size != viewSize else { return }
    viewSize = size
    if var geometry {
      geometry.resize(to: size)
      self.geometry = geometry
    }
    update()
  }

  /// Zooms or moves: changes the geometry, and loads what comes into sight.
  public func change(_ change: (inout ZoomGeometry) -> Void) {
    guard var geometry else { return }
    change(&geometry)
    guard geometry != self.geometry else { return }
    self.geometry = geometry
    update()
  }

  /// Asks again for a picture that has failed.
  public func retry() {
    guard let request, failure != nil else { return }
    setImage(request)
  }

  /// What is to be drawn, in this order: what is coarser lies below. Squares that are not in sight are left out.
  public var layers: [Layer] {
    guard let geometry, let base else { return [] }
    var layers = [Layer(picture: base.picture, region: PixelRegion(geometry.pictureSize))]
    guard isSharpened else { return layers }
    let seen = geometry.visible
    // Coarser squares stand in for those that are not there yet, and finer ones cover them.
    let present = tiles.compactMap { tile, state in
      state.picture.map {
        (tile, Layer(picture: $0, region: PixelRegion(tile.region(of: geometry.pictureSize))))
      }
    }.filter { $0.1.region.intersects(seen) && $0.0.level >= ZoomTile.level(for: geometry.scale) }
    layers += present.sorted { $0.0.level > $1.0.level }.map(\.1)
    return layers
  }

  /// Whether something in sight is still coming.
  public var isLoading: Bool {
    baseLoad != nil || keeping.load != nil || visible.contains { tiles[$0]?.load != nil }
  }

  // MARK: The whole picture

  private func loadBase() {
    guard let request, !isFollowing, baseLoad == nil, !viewSize.isEmpty else { return }
    let wanted = wholeSize
    if let base, base.size.width >= wanted.width || base.picture.size == geometry?.pictureSize { return }
    var whole = request
    whole.resize = Resize(wanted)
    let number = number
    baseLoad = loader.load(whole) { [weak self] event in
      guard let self, self.number == number else { return }
      self.receiveBase(event, wanted)
    }
  }

  /// How large the whole picture is to be: as the view; or as the screen's pixels over the whole picture, where it has no
  /// squares, as far as the budget goes.
  public var wholeSize: PixelSize {
    guard let geometry, sharpening == .whole, geometry.scale > geometry.fittingScale else { return viewSize }
    let full = geometry.pictureSize
    var level = ZoomTile.level(for: geometry.scale)
    func side(_ length: Int) -> Int { max(1, length >> level) }
    while side(full.width) * side(full.height) * 4 > byteBudget, level < 30 { level += 1 }
    return PixelSize(max(viewSize.width, side(full.width)), max(viewSize.height, side(full.height)))
  }

  private func receiveBase(_ event: DisplayEvent, _ wanted: PixelSize) {
    switch event {
    case .preview(let picture):
      if base == nil { show(picture, wanted) }
    case .finished(.success(let response)):
      baseLoad = nil
      show(response.picture, wanted)
      update()
    case .finished(.failure(let error)):
      baseLoad = nil
      guard base == nil else { return }
      failure = error
      onChange()
    case .progress, .size: break
    }
  }

  private func show(_ picture: Picture, _ wanted: PixelSize) {
    setFullSize(picture.header?.size ?? picture.size)
    guard geometry != nil else { return }
    base = Whole(picture: picture, size: wanted)
    onChange()
  }

  func setFullSize(_ full: PixelSize) {
    guard !full.isEmpty, geometry?.pictureSize != full else { return }
    geometry = ZoomGeometry(pictureSize: full, viewSize: viewSize)
  }

  // MARK: Squares

  /// Whether the whole picture has fewer pixels than the screen shows of it.
  private var isSharpened: Bool {
    guard let geometry, let base, sharpening != .whole else { return false }
    return Double(base.picture.size.width) < Double(geometry.pictureSize.width) * geometry.scale * 0.99
      && base.picture.size.width < geometry.pictureSize.width
  }

  func update() {
    loadBase()
    updateTiles()
    onChange()
  }

  private func updateTiles() {
    guard let geometry, isSharpened, failure == nil else { return stopSharpening() }
    guard sharpening == .kept else {
      return load(ZoomTile.visible(in: geometry)) { $0.request(for: $1, of: geometry.pictureSize) }
    }
    guard let (source, squares) = source(for: geometry) else { return stopSharpening() }
    let isMissing = squares.contains { tiles[$0]?.picture == nil && tiles[$0]?.hasFailed != true }
    if isMissing, keeping.kept?.source != source { keep(source) }
    if !isMissing, keeping.load?.source != source { keeping.load = nil }
    load(squares) { model, tile in
      model.keeping.kept.map { model.request(for: tile, from: $0, of: geometry.pictureSize) }
    }
  }

  private func stopSharpening() {
    visible = []
    keeping.load = nil
    if geometry?.isFitted ?? true { (keeping.mayBePart, keeping.isPossible) = (true, true) }
    dropLoads()
  }

  /// Loads squares in sight, and nothing else.
  ///
  /// - Parameter request: what a square is loaded by; `nil` where it cannot be yet.
  private func load(_ squares: [ZoomTile], _ request: (ZoomModel, ZoomTile) -> ImageRequest?) {
    visible = squares
    clock += 1
    dropLoads()
    for tile in visible {
      if let state = tiles[tile], state.picture != nil || state.load != nil || state.hasFailed {
        tiles[tile]?.lastUse = clock
        continue
      }
      guard let part = request(self, tile) else { continue }
      tiles[tile] = Tile(picture: nil, load: nil, lastUse: clock)
      let number = number
      tiles[tile]?.load = loader.load(part) { [weak self] event in
        guard let self, self.number == number, case .finished(let outcome) = event else { return }
        self.receive(outcome, for: tile)
      }
    }
    trim()
  }

  private func request(for tile: ZoomTile, of picture: PixelSize) -> ImageRequest? {
    guard var part = request else { return nil }
    part.resize = tile.resize(of: picture)
    part.writeLayers.remove(.memory)
    return part
  }

  private func receive(_ outcome: Result<ImageResponse, ImageError>, for tile: ZoomTile) {
    guard tiles[tile]?.load != nil else { return }
    tiles[tile]?.load = nil
    switch outcome {
    case .success(let response): tiles[tile]?.picture = response.picture
    case .failure(let error):
      // The whole picture is there; a square that fails is not asked for again until it comes into sight anew.
      if error.isCancellation { tiles[tile] = nil } else { tiles[tile]?.hasFailed = true }
    }
    trim()
    onChange()
  }

  /// Lets go of squares that are out of sight.
  func dropSquaresOutOfSight() {
    let seen = Set(visible)
    tiles = tiles.filter { seen.contains($0.key) }
  }

  /// Calls off what has left sight.
  private func dropLoads() {
    let seen = Set(visible)
    tiles = tiles.filter { seen.contains($0.key) || $0.value.picture != nil }
  }

  /// Lets go of what was seen longest ago, until the rest fits.
  private func trim() {
    let byteBudget = sharpening == .kept ? byteBudget / 4 : byteBudget
    var byteCount = tiles.values.reduce(0) { $0 + ($1.picture?.bitmap.byteCount ?? 0) }
    guard byteCount > byteBudget else { return }
    let seen = Set(visible)
    for (tile, state) in tiles.sorted(by: { $0.value.lastUse < $1.value.lastUse })
    where byteCount > byteBudget && !seen.contains(tile) {
      byteCount -= state.picture?.bitmap.byteCount ?? 0
      tiles[tile] = nil
    }
  }
}

extension PixelRegion {
  fileprivate func intersects(_ other: PixelRegion) -> Bool {
    x < other.x + other.width && other.x < x + width && y < other.y + other.height && other.y < y + height
  }
}
