#if GTK
  import CGTK
  import Foundation
  import Ozu
  import OzuGTK

  /// The pixels and the frames of a window.
  @MainActor
  final class Screen {
    let window: UnsafeMutablePointer<GtkWidget>
    private var waiters: [Waiter] = []
    private var isConnected = false

    private struct Waiter {
      let look: () -> Void
      let continuation: CheckedContinuation<Void, Never>
    }

    init(_ window: UnsafeMutablePointer<GtkWindow>) {
      self.window = UnsafeMutableRawPointer(window).assumingMemoryBound(to: GtkWidget.self)
    }

    /// Returns after the next frame of the window.
    ///
    /// - Parameter look: called when the frame has just been painted and everything has its place; only then the
    ///   window can be drawn once more.
    func nextFrame(_ look: @escaping () -> Void = {}) async {
      await withCheckedContinuation { continuation in
        waiters.append(Waiter(look: look, continuation: continuation))
        if !isConnected, let clock = gtk_widget_get_frame_clock(window) {
          isConnected = true
          SignalSource(clock).on("after-paint") { [weak self] _ in self?.painted() }
        }
        gtk_widget_queue_draw(window)
      }
    }

    /// Waits, frame by frame, while a condition holds. The limit is a time: on a busy machine frames do not stand for one.
    func frames(while holds: () -> Bool, within limit: Duration = .seconds(60)) async {
      let end = ContinuousClock.now + limit
      while holds(), ContinuousClock.now < end { await nextFrame() }
    }

    private func painted() {
      let waiters = self.waiters
      self.waiters = []
      for waiter in waiters {
        waiter.look()
        waiter.continuation.resume()
      }
    }

    /// The pixels of a widget of the window as GTK draws them; `nil` before it is drawn.
    ///
    /// - Parameter scale: the pixels of a point.
    func picture(of widget: UnsafeMutablePointer<GtkWidget>? = nil, scale: Int = 1) -> Bitmap? {
      let widget = widget ?? window
      guard let bounds = Self.bounds(of: widget, in: widget), let native = gtk_widget_get_native(widget),
        let renderer = gtk_native_get_renderer(native), let paintable = gtk_widget_paintable_new(widget)
      else { return nil }
      defer { g_object_unref(ObjectPointer(paintable)) }
      let size = PixelSize(bounds.size.width * scale, bounds.size.height * scale)
      return Self.picture(size, renderer) { snapshot in
        gtk_snapshot_scale(snapshot, Float(scale), Float(scale))
        gdk_paintable_snapshot(paintable, snapshot, Double(bounds.size.width), Double(bounds.size.height))
      }
    }

    /// The pixels of what is drawn; `nil` when that is nothing.
    static func picture(
      _ size: PixelSize, _ renderer: OpaquePointer, _ draw: (OpaquePointer) -> Void
    ) -> Bitmap? {
      let snapshot = gtk_snapshot_new()!
      draw(snapshot)
      guard let node = gtk_snapshot_free_to_node(snapshot) else { return nil }
      defer { gsk_render_node_unref(node) }
      var bounds = graphene_rect_t()
      graphene_rect_init(&bounds, 0, 0, Float(size.width), Float(size.height))
      guard let texture = gsk_renderer_render_texture(renderer, node, &bounds) else { return nil }
      defer { g_object_unref(ObjectPointer(texture)) }
      return Bitmap(size: size, isOpaque: false) { memory, stride in
        // The layout of GDK_MEMORY_DEFAULT on little-endian machines is that of our bitmaps.
        gdk_texture_download(texture, memory.baseAddress!.assumingMemoryBound(to: guchar.self), gsize(stride))
      }
    }

    /// Where a widget is in a picture of the window.
    func place(of widget: UnsafeMutablePointer<GtkWidget>) -> PixelRectangle? {
      guard let bounds = Self.bounds(of: widget, in: window), let whole = Self.bounds(of: window, in: window)
      else { return nil }
      return PixelRectangle(
        x: bounds.x - whole.x, y: bounds.y - whole.y, width: bounds.size.width, height: bounds.size.height)
    }

    /// Places count from what a widget has inside its border, so that its own begins before zero.
    private static func bounds(
      of widget: UnsafeMutablePointer<GtkWidget>, in other: UnsafeMutablePointer<GtkWidget>
    ) -> PixelRectangle? {
      var bounds = graphene_rect_t()
      guard gtk_widget_compute_bounds(widget, other, &bounds) != 0, bounds.size.width >= 1,
        bounds.size.height >= 1
      else { return nil }
      return PixelRectangle(
        x: Int(bounds.origin.x), y: Int(bounds.origin.y), width: Int(bounds.size.width),
        height: Int(bounds.size.height))
    }

    /// The widgets of a kind below a widget, with their place in the window, as far as they are to be seen.
    func visible(_ type: GType, below root: UnsafeMutablePointer<GtkWidget>? = nil) -> [VisibleWidget] {
      var places: [VisibleWidget] = []
      collect(type, root ?? window, &places)
      return places
    }

    /// The button with a tooltip or a label, if it is to be seen.
    func button(
      _ text: String, below root: UnsafeMutablePointer<GtkWidget>? = nil
    ) -> UnsafeMutablePointer<GtkWidget>? {
      visible(gtk_button_get_type(), below: root).map(\.widget).first { button in
        let texts = [
          gtk_widget_get_tooltip_text(button),
          gtk_button_get_label(UnsafeMutableRawPointer(button).assumingMemoryBound(to: GtkButton.self)),
        ]
        return texts.contains { $0.map { String(cString: $0) } == text }
      }
    }

    /// A widget and where it is.
    struct VisibleWidget {
      let widget: UnsafeMutablePointer<GtkWidget>
      let rectangle: PixelRectangle
      @MainActor var picture: PictureWidget { PictureWidget(widget) }
    }

    private func collect(
      _ type: GType, _ widget: UnsafeMutablePointer<GtkWidget>, _ places: inout [VisibleWidget]
    ) {
      guard gtk_widget_get_mapped(widget) != 0 else { return }
      if ozu_is_a(widget, type) != 0 {
        if let rectangle = place(of: widget) {
          places.append(VisibleWidget(widget: widget, rectangle: rectangle))
        }
        return
      }
      var child = gtk_widget_get_first_child(widget)
      while let present = child {
        collect(type, present, &places)
        child = gtk_widget_get_next_sibling(present)
      }
    }
  }
#endif
