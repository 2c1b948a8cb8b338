#if GTK
  import CGTK
  import Ozu

  /// What a widget of GTK draws for us: a picture, and during a transition the one before it.
  ///
  /// GTK widgets draw any `GdkPaintable`. Ours says three things that a texture cannot: how large a picture for a
  /// high-density screen is in points, how two pictures cross-fade, and when it was drawn at which size, which is how
  /// the views learn of their layout without a subclass.
  @MainActor
  final class ImagePaintable: Paintable {
    /// Called when GTK is about to draw.
    var onDraw: () -> Void = {}

    /// By how many quarters of a turn, clockwise, the picture is drawn turned: 0 to 3.
    var quarterTurns = 0 {
      didSet {
        guard quarterTurns != oldValue else { return }
        if !quarterTurns.isMultiple(of: 2) || !oldValue.isMultiple(of: 2) { tellSize() }
        gdk_paintable_invalidate_contents(pointer)
      }
    }

    /// Where a picture lies that people zoom and move; `nil` for one that fills its place. Its paintable takes any place.
    var zoom: ZoomDrawing? {
      didSet { tellSize() }
    }

    private var current: Texture?
    private var previous: Texture?
    /// The size of a picture that is on its way: what is shown until then takes its place.
    private var reservedSize: PixelSize?
    private var scale = 1.0
    private var isSizeUntold = false
    /// How much of the current picture is seen, 0 to 1.
    private var visibility = 1.0

    /// Draws another picture from now on.
    ///
    /// - Parameters:
    ///   - scale: pixels in a point.
    ///   - fades: whether the picture is to be seen only as `fade(to:)` says.
    ///   - keepsPlace: whether it stands in for a picture that `reserve` has a place for.
    func show(_ texture: Texture?, scale: Double, fades: Bool, keepsPlace: Bool = false) {
      let former = size
      if !keepsPlace { reservedSize = nil }
      let changesSize = former != (reservedSize ?? texture?.size) || self.scale != max(scale, 0.01)
      previous = fades ? current : nil
      current = texture
      self.scale = max(scale, 0.01)
      visibility = fades ? 0 : 1
      if changesSize { tellSize() }
      gdk_paintable_invalidate_contents(pointer)
    }

    /// Takes the size of a picture that is on its way.
    func reserve(_ size: PixelSize, scale: Double) {
      let changesSize = self.size != size || self.scale != max(scale, 0.01)
      reservedSize = size
      self.scale = max(scale, 0.01)
      if changesSize { tellSize() }
    }

    private var size: PixelSize? { reservedSize ?? current?.size }

    /// Says that the size is another one, in the next turn of the main loop: lists bind their cells in the middle of a
    /// layout, and a widget that asks for a new one then is drawn without a place (GTK complains of a "snapshot without
    /// a current allocation").
    private func tellSize() {
      guard !isSizeUntold else { return }
      isSizeUntold = true
      Task { [weak self] in
        guard let self else { return }
        isSizeUntold = false
        gdk_paintable_invalidate_size(pointer)
      }
    }

    /// Goes on with a transition; at 1 it is over.
    func fade(to visibility: Double) {
      self.visibility = min(1, max(0, visibility))
      if self.visibility == 1 { previous = nil }
      gdk_paintable_invalidate_contents(pointer)
    }

    // MARK: What GTK asks

    private var isTurnedAside: Bool { !quarterTurns.isMultiple(of: 2) }

    override var width: gint {
      zoom == nil ? side(isTurnedAside ? size?.height : size?.width) : Self.emptySide
    }
    override var height: gint {
      zoom == nil ? side(isTurnedAside ? size?.width : size?.height) : Self.emptySide
    }

    private func side(_ pixels: Int?) -> gint {
      pixels.map { max(1, gint((Double($0) / scale).rounded())) } ?? Self.emptySide
    }

    override var aspectRatio: Double {
      guard zoom == nil, let size, size.height > 0 else { return 0 }
      let ratio = Double(size.width) / Double(size.height)
      return isTurnedAside ? 1 / ratio : ratio
    }

    override func draw(into snapshot: OpaquePointer, _ width: Double, _ height: Double) {
      onDraw()
      guard quarterTurns != 0 else { return drawUpright(into: snapshot, width, height) }
      gtk_snapshot_save(snapshot)
      var middle = graphene_point_t(x: Float(width / 2), y: Float(height / 2))
      gtk_snapshot_translate(snapshot, &middle)
      gtk_snapshot_rotate(snapshot, Float(90 * quarterTurns))
      let (w, h) = isTurnedAside ? (height, width) : (width, height)
      var corner = graphene_point_t(x: Float(-w / 2), y: Float(-h / 2))
      gtk_snapshot_translate(snapshot, &corner)
      drawUpright(into: snapshot, w, h)
      gtk_snapshot_restore(snapshot)
    }

    private func drawUpright(into snapshot: OpaquePointer, _ width: Double, _ height: Double) {
      guard let zoom else { return drawContent(into: snapshot, width, height) }
      guard let size, width > 0, height > 0 else { return }
      var bounds = graphene_rect_t()
      graphene_rect_init(&bounds, 0, 0, Float(width), Float(height))
      gtk_snapshot_push_clip(snapshot, &bounds)
      let place = zoom.place(of: size, in: (width, height))
      gtk_snapshot_save(snapshot)
      var corner = graphene_point_t(x: Float(place.x), y: Float(place.y))
      gtk_snapshot_translate(snapshot, &corner)
      drawContent(into: snapshot, place.width, place.height)
      gtk_snapshot_restore(snapshot)
      zoom.drawSquares(in: (width, height)) { append($0, to: snapshot, $1) }
      gtk_snapshot_pop(snapshot)
    }

    private func drawContent(into snapshot: OpaquePointer, _ width: Double, _ height: Double) {
      guard let current, width > 0, height > 0 else { return }
      guard visibility < 1 else {
        // A stand-in may have other proportions than the picture whose place it has.
        return reservedSize == nil && zoom == nil
          ? append(current, to: snapshot, width, height)
          : appendCovering(current, to: snapshot, width, height)
      }
      if let previous {
        gtk_snapshot_push_cross_fade(snapshot, visibility)
        appendCovering(previous, to: snapshot, width, height)
        gtk_snapshot_pop(snapshot)
        append(current, to: snapshot, width, height)
        gtk_snapshot_pop(snapshot)
      } else {
        gtk_snapshot_push_opacity(snapshot, visibility)
        append(current, to: snapshot, width, height)
        gtk_snapshot_pop(snapshot)
      }
    }

    private func append(_ texture: Texture, to snapshot: OpaquePointer, _ width: Double, _ height: Double) {
      append(texture, to: snapshot, (0, 0, width, height))
    }

    /// The picture before, which may have other proportions, is never squashed: it covers the same place, cut off at
    /// its edges.
    private func appendCovering(
      _ texture: Texture, to snapshot: OpaquePointer, _ width: Double, _ height: Double
    ) {
      var bounds = graphene_rect_t()
      graphene_rect_init(&bounds, 0, 0, Float(width), Float(height))
      gtk_snapshot_push_clip(snapshot, &bounds)
      let factor = max(width / Double(texture.size.width), height / Double(texture.size.height))
      let (w, h) = (Double(texture.size.width) * factor, Double(texture.size.height) * factor)
      append(texture, to: snapshot, ((width - w) / 2, (height - h) / 2, w, h))
      gtk_snapshot_pop(snapshot)
    }
  }
#endif
