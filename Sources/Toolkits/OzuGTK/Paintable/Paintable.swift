#if GTK
  import CGTK
  import Ozu

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

  /// The type of the paintables, registered once.
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
