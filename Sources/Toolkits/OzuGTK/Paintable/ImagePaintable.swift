#if GTK
  import CGTK
  import Ozu

  /// The content of a GTK widget: a picture, and during a transition also the picture before it.
  ///
  /// GTK widgets draw any `GdkPaintable`. This one does three things that a texture cannot: it gives the size in points of
  /// a picture for a high-density screen, it cross-fades two pictures, and it reports when it was drawn at which size. In
  /// this way the views learn about their layout without a subclass.
  @MainActor
  final class ImagePaintable: Paintable {
    /// Called when GTK is about to draw.
    var onDraw: () -> Void = {}

    /// The clockwise rotation of the drawn picture in quarter turns, 0 to 3.
    var quarterTurns = 0 {
      didSet {
        guard quarterTurns != oldValue else { return }
        if !quarterTurns.isMultiple(of: 2) || !oldValue.isMultiple(of: 2) { tellSize() }
        gdk_paintable_invalidate_contents(pointer)
      }
    }

    /// The position of a picture that the user zooms and moves; `nil` for a picture that fills its place. A paintable with a
    /// position has no size of its own.
    var zoom: ZoomDrawing? {
      didSet { tellSize() }
    }

    private var current: Texture?
    private var previous: Texture?
    /// The size of a picture that is loading: the content until then has that size.
    private var reservedSize: PixelSize?
    private var scale = 1.0
    private var isSizeReportPending = false
    /// The opacity of the current picture during a transition, 0 to 1.
    private var visibility = 1.0

    /// Draws another picture from now on.
    ///
    /// - Parameters:
    ///   - scale: pixels per point.
    ///   - fades: whether the picture is transparent until `fade(to:)`.
    ///   - keepsPlace: whether it is a placeholder in the size that `reserve` has set.
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

    /// Takes the size of a picture that is loading.
    func reserve(_ size: PixelSize, scale: Double) {
      let changesSize = self.size != size || self.scale != max(scale, 0.01)
      reservedSize = size
      self.scale = max(scale, 0.01)
      if changesSize { tellSize() }
    }

    private var size: PixelSize? { reservedSize ?? current?.size }

    /// Reports a new size, in the next turn of the main loop: lists bind their cells during a layout, and a widget that asks
    /// for another layout at that time is drawn without a place (GTK then warns of a "snapshot without a current
    /// allocation").
    private func tellSize() {
      guard !isSizeReportPending else { return }
      isSizeReportPending = true
      Task { [weak self] in
        guard let self else { return }
        isSizeReportPending = false
        gdk_paintable_invalidate_size(pointer)
      }
    }

    /// Continues a transition; at 1 it has ended.
    func fade(to visibility: Double) {
      self.visibility = min(1, max(0, visibility))
      if self.visibility == 1 { previous = nil }
      gdk_paintable_invalidate_contents(pointer)
    }

    // MARK: Answers to GTK

    private var isOnItsSide: Bool { !quarterTurns.isMultiple(of: 2) }

    override var width: gint {
      zoom == nil ? side(isOnItsSide ? size?.height : size?.width) : Self.emptySide
    }
    override var height: gint {
      zoom == nil ? side(isOnItsSide ? size?.width : size?.height) : Self.emptySide
    }

    private func side(_ pixels: Int?) -> gint {
      pixels.map { max(1, gint((Double($0) / scale).rounded())) } ?? Self.emptySide
    }

    override var aspectRatio: Double {
      guard zoom == nil, let size, size.height > 0 else { return 0 }
      let ratio = Double(size.width) / Double(size.height)
      return isOnItsSide ? 1 / ratio : ratio
    }

    override func draw(into snapshot: OpaquePointer, _ width: Double, _ height: Double) {
      onDraw()
      guard quarterTurns != 0 else { return drawUpright(into: snapshot, width, height) }
      gtk_snapshot_save(snapshot)
      var middle = graphene_point_t(x: Float(width / 2), y: Float(height / 2))
      gtk_snapshot_translate(snapshot, &middle)
      gtk_snapshot_rotate(snapshot, Float(90 * quarterTurns))
      let (w, h) = isOnItsSide ? (height, width) : (width, height)
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
        // A placeholder may have other proportions than the picture.
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

    /// Draws the picture before, which may have other proportions: it covers the same place, cut off at its edges, and is not
    /// distorted.
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
