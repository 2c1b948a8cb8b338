import OzuCaching
import OzuImaging

/// The squares over the whole picture.
extension ZoomModel {
  /// Whether the loaded whole picture has fewer pixels than the screen shows.
  var isSharpened: Bool {
    guard let geometry, let base, sharpening != .whole else { return false }
    return Double(base.picture.size.width) < Double(geometry.pictureSize.width) * geometry.scale * 0.99
      && base.picture.size.width < geometry.pictureSize.width
  }

  func update() {
    loadBase()
    updateTiles()
    onChange()
  }

  func updateTiles() {
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

  /// Loads the visible squares only.
  ///
  /// - Parameter request: the request of a square; `nil` if it cannot be loaded yet.
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
    guard var part = further else { return nil }
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
      // The whole picture is shown; a failed square is loaded again only when it becomes visible again.
      if error.isCancellation { tiles[tile] = nil } else { tiles[tile]?.hasFailed = true }
    }
    trim()
    onChange()
  }

  func dropSquaresOutOfSight() {
    let seen = Set(visible)
    tiles = tiles.filter { seen.contains($0.key) }
  }

  /// Cancels the loads of squares that are no longer visible.
  func dropLoads() {
    let seen = Set(visible)
    tiles = tiles.filter { seen.contains($0.key) || $0.value.picture != nil }
  }

  /// Releases the squares that were visible longest ago, until the rest fits.
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
