import OzuCaching
import OzuImaging

/// Pixels that a model keeps of a file whose parts are not decoded alone: it is decoded once, and squares are cut from them.
extension ZoomModel {
  /// Pixels, and what they show.
  struct Kept {
    let source: ZoomSource
    let picture: Picture
    /// Tells the pixels from all others that a pipeline has.
    let key: String
  }

  /// What is kept, what comes, and what has failed.
  struct Keeping {
    var kept: Kept?
    var load: (source: ZoomSource, load: DisplayLoad)?
    /// Whether a part is asked for where the whole does not fit; not after that has failed.
    var mayBePart = true
    /// Whether anything is asked for; not after the whole has failed.
    var isPossible = true
  }

  /// How the whole picture at the size of the view is made sharper.
  enum Sharpening {
    /// By squares that are decoded alone.
    case parts
    /// By squares that are cut from kept pixels.
    case kept
    /// By a larger whole picture: steps after the resize may mix neighbours, so that squares would not fit together, and what
    /// moves has frames of one size.
    case whole
  }

  var sharpening: Sharpening {
    guard let header = base?.picture.header, request?.processors.isEmpty ?? true, header.frameCount <= 1
    else { return .whole }
    return header.hasParts ? .parts : .kept
  }

  /// The pixels from which squares in sight are cut, there or not yet, and these squares; `nil` where there can be none.
  func source(for geometry: ZoomGeometry) -> (source: ZoomSource, squares: [ZoomTile])? {
    guard keeping.isPossible, let base else { return nil }
    let plan = ZoomSource(
      for: geometry, format: base.picture.bitmap.format, byteBudget: wholeByteBudget,
      mayBePart: keeping.mayBePart)
    let squares = ZoomTile.visible(in: geometry, finest: plan.level)
    let own = [keeping.kept?.source, keeping.load?.source].lazy.compactMap { $0 }.first { source in
      source.level <= plan.level && squares.allSatisfy { source.serves($0, of: geometry.pictureSize) }
    }
    return (own ?? plan, squares)
  }

  /// Loads pixels to keep, unless they are coming. Those that were kept go first: only one part is in memory.
  func keep(_ source: ZoomSource) {
    guard let request, keeping.load?.source != source else { return }
    keeping.kept = nil
    var whole = request
    whole.resize = source.resize
    // The model has them, and the caches would have them twice.
    whole.writeLayers.formIntersection(.originals)
    let number = number
    keeping.load = (
      source,
      loader.load(whole) { [weak self] event in
        guard let self, self.number == number, case .finished(let outcome) = event else { return }
        self.receive(outcome, for: source)
      }
    )
  }

  private func receive(_ outcome: Result<ImageResponse, ImageError>, for source: ZoomSource) {
    guard keeping.load?.source == source else { return }
    keeping.load = nil
    switch outcome {
    // Of another size, it is another picture by now.
    case .success(let response) where response.picture.size == source.size:
      keeping.kept = Kept(source: source, picture: response.picture, key: Self.nextKey())
    case .failure(let error) where error.isCancellation: return onChange()
    case .success, .failure:
      if source.isWhole { keeping.isPossible = false } else { keeping.mayBePart = false }
    }
    update()
  }

  /// What is asked for to have a square cut.
  func request(for tile: ZoomTile, from kept: Kept, of picture: PixelSize) -> ImageRequest {
    var part = ImageRequest(.picture(kept.picture, key: kept.key))
    part.resize = kept.source.resize(for: tile, of: picture)
    part.readLayers = []
    part.writeLayers = []
    return part
  }

  private static var lastKey = 0

  private static func nextKey() -> String {
    lastKey += 1
    return "ozu.zoom.\(lastKey)"
  }

  // MARK: Memory pressure

  func observeMemoryPressure() -> MemoryPressureObservation? {
    loader.memoryPressure?.observe { [weak self] _ in
      Task { @MainActor in self?.giveMemoryBack() }
    }
  }

  /// Lets go of all that is not in sight: kept pixels, which are decoded once more when a further square is needed, and squares.
  public func giveMemoryBack() {
    keeping.kept = nil
    dropSquaresOutOfSight()
  }
}
