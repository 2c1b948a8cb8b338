import OzuCaching
import OzuImaging

/// Kept pixels of a file whose parts cannot be decoded alone: the file is decoded once, and squares are cut from its
/// pixels.
extension ZoomModel {
  /// Kept pixels, and the part of the picture that they show.
  struct Kept {
    let source: ZoomSource
    let picture: Picture
    /// The key of the pixels, unique in the process.
    let key: String
  }

  /// The kept pixels, their load, and what has failed.
  struct Keeping {
    var kept: Kept?
    var load: (source: ZoomSource, load: DisplayLoad)?
    /// Whether a part may be loaded if the whole picture does not fit; false after that has failed.
    var mayBePart = true
    /// Whether pixels may be loaded at all; false after the whole picture has failed.
    var isPossible = true
  }

  /// How the picture is sharpened beyond its size in the view.
  enum Sharpening {
    /// By squares that are decoded alone.
    case parts
    /// By squares that are cut from the kept pixels.
    case kept
    /// By a larger whole picture: for requests with steps after the resize, which may mix neighbouring pixels so that
    /// squares would not fit together; and for animations, whose frames have one size.
    case whole
  }

  var sharpening: Sharpening {
    guard let header = base?.picture.header, request?.processors.isEmpty ?? true, header.frameCount <= 1
    else { return .whole }
    // Each part would be a download if nothing keeps the file.
    return header.hasParts && request.map(loader.keepsOriginal) ?? true ? .parts : .kept
  }

  /// The pixels from which the visible squares are cut, loaded or not, and these squares; `nil` if pixels cannot be
  /// kept.
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

  /// Loads pixels to keep, unless they are already loading. The former pixels are released first: only one part is in
  /// memory.
  func keep(_ source: ZoomSource) {
    guard var whole = further, keeping.load?.source != source else { return }
    keeping.kept = nil
    whole.resize = source.resize
    // The model keeps them; the caches would keep a second copy.
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
    // With another size, it is another picture by now.
    case .success(let response) where response.picture.size == source.size:
      keeping.kept = Kept(source: source, picture: response.picture, key: Self.nextKey())
    case .failure(let error) where error.isCancellation: return onChange()
    case .success, .failure:
      if source.isWhole { keeping.isPossible = false } else { keeping.mayBePart = false }
    }
    update()
  }

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

  /// Releases everything that is not visible: the squares, and the kept pixels, which are decoded again when a
  /// further square is needed.
  func giveMemoryBack() {
    keeping.kept = nil
    dropSquaresOutOfSight()
  }
}
