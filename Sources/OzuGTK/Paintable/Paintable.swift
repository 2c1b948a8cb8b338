#if GTK
  import CGTK
  import Ozu

  /// Something that GTK widgets draw as they draw textures: a `GdkPaintable` whose answers are Swift's.
  ///
  /// The GObject side is a type registered at the first use (`paintableType`); its instance carries one pointer, to
  /// this object, and drops it when this object goes: the last widget may let go of it later.
  @MainActor
  class Paintable {
    /// The `GdkPaintable`; owned.
    let pointer: OpaquePointer

    /// Whether GTK draws without a graphics card. Its renderer for that takes a copy of each texture in each frame, that
    /// of GTK 4.8 by way of floating-point numbers, which is most of the time of a frame; cairo itself needs none.
    private var isDrawnByCairo = false

    /// Finds out who draws for a widget, once it is in a window.
    final func noteRenderer(of widget: UnsafeMutablePointer<GtkWidget>?) {
      guard let widget, let native = gtk_widget_get_native(widget),
        let renderer = gtk_native_get_renderer(native)
      else { return isDrawnByCairo = false }
      isDrawnByCairo = ozu_is_a(UnsafeRawPointer(renderer), gsk_cairo_renderer_get_type()) != 0
    }

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

    // MARK: What GTK asks

    /// A paintable of no size would be given 16 × 16 points, as if somebody had wanted that.
    static let emptySide: gint = 1

    /// How wide it is by itself, in points.
    var width: gint { Self.emptySide }
    /// How high it is by itself, in points.
    var height: gint { Self.emptySide }
    /// Its width for a height of 1; 0 where it has no proportions.
    var aspectRatio: Double { 0 }

    /// Draws into a place of some points.
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
      // At the edges a scaled picture is not mixed with what lies round it.
      cairo_pattern_set_extend(cairo_get_source(context), CAIRO_EXTEND_PAD)
      cairo_rectangle(context, 0, 0, Double(texture.size.width), Double(texture.size.height))
      cairo_fill(context)
      cairo_destroy(context)
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
