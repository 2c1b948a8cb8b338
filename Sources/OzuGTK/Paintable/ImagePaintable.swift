#if GTK
  import CGTK
  import Ozu

  /// What a widget of GTK draws for us: a picture, and during a transition the one before it.
  ///
  /// GTK widgets draw any `GdkPaintable`. Ours says three things that a texture cannot: how large a picture for a
  /// high-density screen is in points, how two pictures cross-fade, and when it was drawn at which size, which is how
  /// the views learn of their layout without a subclass.
  ///
  /// The GObject side is a type registered at the first use (`paintableType`); its instance carries one pointer, to
  /// this object, and drops it when the last widget lets go.
  @MainActor
  final class ImagePaintable {
    /// The `GdkPaintable`; owned.
    let pointer: OpaquePointer
    /// Called when GTK is about to draw.
    var onDraw: () -> Void = {}

    /// Whether GTK draws without a graphics card. Its renderer for that takes a copy of each texture in each frame, that
    /// of GTK 4.8 by way of floating-point numbers, which is most of the time of a frame; cairo itself needs none.
    var isDrawnByCairo = false

    /// By how many quarters of a turn, clockwise, the picture is drawn turned: 0 to 3.
    var quarterTurns = 0 {
      didSet {
        guard quarterTurns != oldValue else { return }
        if !quarterTurns.isMultiple(of: 2) || !oldValue.isMultiple(of: 2) { tellSize() }
        gdk_paintable_invalidate_contents(pointer)
      }
    }

    private var current: Texture?
    private var previous: Texture?
    /// The size of a picture that is on its way: what is shown until then takes its place.
    private var reservedSize: PixelSize?
    private var scale = 1.0
    private var isSizeUntold = false
    /// How much of the current picture is seen, 0 to 1.
    private var visibility = 1.0

    init() {
      let object = g_object_new_with_properties(paintableType, 0, nil, nil)!
      pointer = OpaquePointer(object)
      // Unowned: the object below is alive only through widgets that live no longer than the view that holds us, and
      // `deinit` takes the pointer back.
      instance.pointee.state = Unmanaged.passUnretained(self).toOpaque()
    }

    isolated deinit {
      instance.pointee.state = nil
      g_object_unref(ObjectPointer(pointer))
    }

    private var instance: UnsafeMutablePointer<OzuInstance> { UnsafeMutablePointer(pointer) }

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

    /// A paintable of no size would be given 16 × 16 points, as if somebody had wanted that.
    static let emptySide: gint = 1

    private var isTurnedAside: Bool { !quarterTurns.isMultiple(of: 2) }

    fileprivate var width: gint { side(isTurnedAside ? size?.height : size?.width) }
    fileprivate var height: gint { side(isTurnedAside ? size?.width : size?.height) }

    private func side(_ pixels: Int?) -> gint {
      pixels.map { max(1, gint((Double($0) / scale).rounded())) } ?? Self.emptySide
    }

    fileprivate var aspectRatio: Double {
      guard let size, size.height > 0 else { return 0 }
      let ratio = Double(size.width) / Double(size.height)
      return isTurnedAside ? 1 / ratio : ratio
    }

    fileprivate func draw(into snapshot: OpaquePointer, _ width: Double, _ height: Double) {
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
      guard let current, width > 0, height > 0 else { return }
      guard visibility < 1 else {
        // A stand-in may have other proportions than the picture whose place it has.
        return reservedSize == nil
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

    private func append(
      _ texture: Texture, to snapshot: OpaquePointer,
      _ place: (x: Double, y: Double, width: Double, height: Double)
    ) {
      var bounds = graphene_rect_t()
      graphene_rect_init(
        &bounds, Float(place.x), Float(place.y), Float(place.width), Float(place.height))
      guard isDrawnByCairo, let surface = texture.surface else {
        return gtk_snapshot_append_texture(snapshot, texture.pointer, &bounds)
      }
      let context = gtk_snapshot_append_cairo(snapshot, &bounds)
      cairo_translate(context, place.x, place.y)
      cairo_scale(
        context, place.width / Double(texture.size.width), place.height / Double(texture.size.height))
      cairo_set_source_surface(context, surface, 0, 0)
      // At the edges a scaled picture is not mixed with what lies round it.
      cairo_pattern_set_extend(cairo_get_source(context), CAIRO_EXTEND_PAD)
      cairo_rectangle(context, 0, 0, Double(texture.size.width), Double(texture.size.height))
      cairo_fill(context)
      cairo_destroy(context)
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

  /// The type of our paintables, registered once.
  @MainActor
  private let paintableType: GType = {
    let type = g_type_register_static_simple(
      ozu_type_object(), "OzuPaintable", guint(MemoryLayout<GObjectClass>.size), nil,
      guint(MemoryLayout<OzuInstance>.size), nil, GTypeFlags(rawValue: 0))
    var interface = GInterfaceInfo(
      interface_init: { interface, _ in
        guard let vtable = interface?.assumingMemoryBound(to: GdkPaintableInterface.self) else { return }
        vtable.pointee.snapshot = { paintable, snapshot, width, height in
          guard let snapshot else { return }
          let address = UInt(bitPattern: snapshot)
          withState(paintable) { $0.draw(into: OpaquePointer(bitPattern: address)!, width, height) }
        }
        vtable.pointee.get_intrinsic_width = { withState($0) { $0.width } ?? 0 }
        vtable.pointee.get_intrinsic_height = { withState($0) { $0.height } ?? 0 }
        vtable.pointee.get_intrinsic_aspect_ratio = { withState($0) { $0.aspectRatio } ?? 0 }
      }, interface_finalize: nil, interface_data: nil)
    g_type_add_interface_static(type, gdk_paintable_get_type(), &interface)
    return type
  }()

  /// GTK draws on the main actor's thread. `nil` when the Swift side is gone: there is nothing to draw then.
  private func withState<Result: Sendable>(
    _ paintable: OpaquePointer?, _ body: @MainActor (ImagePaintable) -> Result
  ) -> Result? {
    guard let paintable else { return nil }
    let address = UInt(bitPattern: UnsafeMutablePointer<OzuInstance>(paintable).pointee.state)
    return MainActor.assumeIsolated {
      guard let state = UnsafeRawPointer(bitPattern: address) else { return nil }
      return body(Unmanaged<ImagePaintable>.fromOpaque(state).takeUnretainedValue())
    }
  }
#endif
