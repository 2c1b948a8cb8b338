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

  /// A `GdkPaintable` in Swift, which GTK widgets draw like a texture.
  ///
  /// The GObject is of a type that is registered at the first use (`paintableType`). Its instance has one pointer, to this
  /// object, and loses it when this object is freed, because the last widget may hold the GObject longer.
  @MainActor
  class Paintable {
    /// The `GdkPaintable`; owned.
    let pointer: OpaquePointer

    /// Whether GTK draws without a graphics card. Its renderer for that copies each texture in each frame (in GTK 4.8 through
    /// floating-point numbers), which takes most of the time of a frame. Drawing with cairo needs no copy.
    private var isDrawnByCairo = false

    /// Finds out which renderer draws a widget, once it is in a window.
    final func noteRenderer(of widget: UnsafeMutablePointer<GtkWidget>?) {
      guard let widget, let native = gtk_widget_get_native(widget),
        let renderer = gtk_native_get_renderer(native)
      else { return isDrawnByCairo = false }
      isDrawnByCairo = ozu_is_a(UnsafeRawPointer(renderer), gsk_cairo_renderer_get_type()) != 0
    }

    init() {
      let object = g_object_new_with_properties(paintableType, 0, nil, nil)!
      pointer = OpaquePointer(object)
      // Unowned: widgets may hold the GObject longer than this object lives, and `deinit` removes the pointer.
      instance.pointee.state = Unmanaged.passUnretained(self).toOpaque()
    }

    isolated deinit {
      instance.pointee.state = nil
      g_object_unref(ObjectPointer(pointer))
    }

    private var instance: UnsafeMutablePointer<OzuInstance> { UnsafeMutablePointer(pointer) }

    // MARK: Answers to GTK

    /// GTK would give a paintable without a size 16 × 16 points.
    static let emptySide: gint = 1

    /// Its own width, in points.
    var width: gint { Self.emptySide }
    /// Its own height, in points.
    var height: gint { Self.emptySide }
    /// Its width divided by its height; 0 without proportions.
    var aspectRatio: Double { 0 }

    /// Draws into a place of a size in points.
    func draw(into snapshot: OpaquePointer, _ width: Double, _ height: Double) {}

    /// Draws a texture, stretched over a place.
    final func append(
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
      // At its edges a scaled picture is not mixed with its surroundings.
      cairo_pattern_set_extend(cairo_get_source(context), CAIRO_EXTEND_PAD)
      cairo_rectangle(context, 0, 0, Double(texture.size.width), Double(texture.size.height))
      cairo_fill(context)
      cairo_destroy(context)
    }
  }

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
    _ paintable: OpaquePointer?, _ body: @MainActor (Paintable) -> Result
  ) -> Result? {
    guard let paintable else { return nil }
    let address = UInt(bitPattern: UnsafeMutablePointer<OzuInstance>(paintable).pointee.state)
    return MainActor.assumeIsolated {
      guard let state = UnsafeRawPointer(bitPattern: address) else { return nil }
      return body(Unmanaged<Paintable>.fromOpaque(state).takeUnretainedValue())
    }
  }
#endif
