#if GTK
  import CGTK
  import Ozu
  import OzuGTK

  /// One picture, as large as the window: it comes in while it loads, and can be zoomed and moved.
  ///
  /// Zooming makes the view larger, and a larger view asks for a larger rendition: sharpness needs no code here.
  @MainActor
  public final class DetailView {
    /// The scrolled window, to be put into a container.
    public let widget: UnsafeMutablePointer<GtkWidget>
    private let view: ImageView
    private var zoom = 1.0
    /// Where the pointer held the picture when a pan began.
    private var grip: (x: Double, y: Double) = (0, 0)

    private static let zoomRange = 1.0...16.0

    init(pipeline: ImagePipeline) {
      view = ImageView(pipeline: pipeline)
      widget = gtk_scrolled_window_new()
      gtk_scrolled_window_set_child(OpaquePointer(widget), view.widget)
      gtk_widget_add_css_class(widget, "detail")
      gtk_widget_set_vexpand(widget, 1)
      g_object_ref_sink(ObjectPointer(widget))
      addGestures()
      keepMiddle(of: horizontal)
      keepMiddle(of: vertical)
    }

    isolated deinit {
      g_object_unref(ObjectPointer(widget))
    }

    /// The binding of the picture.
    public var images: ImageBinding { view.images }

    /// Shows a picture: first its thumbnail, then what has come of it, then all of it.
    func show(_ item: PictureItem, style: PictureStyle, thumbnail: Picture?) {
      setZoom(1)
      view.alternativeText = item.name
      let options = DisplayOptions {
        $0.placeholder = thumbnail.map { .picture($0) } ?? .nothing
        $0.automaticFormat.allowsUpscaling = false
      }
      view.images.setImage(style.request(for: item), options: options)
    }

    /// Takes the picture away.
    func clear() {
      view.images.clear()
    }

    /// Puts the original on the clipboard.
    func copy() async throws(ImageError) {
      try await view.copyToClipboard()
    }

    /// Makes the picture larger by half.
    func zoomIn() { setZoom(zoom * 1.5) }

    /// Undoes what `zoomIn` did.
    func zoomOut() { setZoom(zoom / 1.5) }

    /// Fits the picture to the window.
    func resetZoom() { setZoom(1) }

    private func setZoom(_ value: Double) {
      zoom = min(max(value, Self.zoomRange.lowerBound), Self.zoomRange.upperBound)
      // A picture that is seen whole needs no panning: a drag takes it out of the window.
      view.isDraggable = zoom == 1
      guard zoom > 1 else { return gtk_widget_set_size_request(view.widget, -1, -1) }
      gtk_widget_set_size_request(
        view.widget, gint(Double(gtk_widget_get_width(widget)) * zoom),
        gint(Double(gtk_widget_get_height(widget)) * zoom))
    }

    private var horizontal: UnsafeMutablePointer<GtkAdjustment> {
      gtk_scrolled_window_get_hadjustment(OpaquePointer(widget))
    }

    private var vertical: UnsafeMutablePointer<GtkAdjustment> {
      gtk_scrolled_window_get_vadjustment(OpaquePointer(widget))
    }

    /// What is in the middle stays there while the picture becomes larger or smaller.
    private func keepMiddle(of adjustment: UnsafeMutablePointer<GtkAdjustment>) {
      var middle = 0.5
      connect(ObjectPointer(adjustment), "value-changed") { _ in
        let (value, page) = (gtk_adjustment_get_value(adjustment), gtk_adjustment_get_page_size(adjustment))
        middle = (value + page / 2) / max(gtk_adjustment_get_upper(adjustment), 1)
      }
      connect(ObjectPointer(adjustment), "changed") { _ in
        let (upper, page) = (gtk_adjustment_get_upper(adjustment), gtk_adjustment_get_page_size(adjustment))
        gtk_adjustment_set_value(adjustment, middle * upper - page / 2)
      }
    }

    private func addGestures() {
      let pinch = gtk_gesture_zoom_new()!
      var begun = 1.0
      connect(ObjectPointer(pinch), "begin", withArgument: { [weak self] _, _ in begun = self?.zoom ?? 1 })
      connect(
        ObjectPointer(pinch), "scale-changed",
        withDouble: { [weak self] _, scale in
          self?.setZoom(begun * scale)
        })
      gtk_widget_add_controller(widget, pinch)

      let pan = gtk_gesture_drag_new()!
      connect(
        ObjectPointer(pan), "drag-begin",
        withDoubles: { [weak self] _, _, _ in
          guard let self else { return }
          grip = (gtk_adjustment_get_value(horizontal), gtk_adjustment_get_value(vertical))
        })
      connect(
        ObjectPointer(pan), "drag-update",
        withDoubles: { [weak self] _, x, y in
          guard let self else { return }
          gtk_adjustment_set_value(horizontal, grip.x - x)
          gtk_adjustment_set_value(vertical, grip.y - y)
        })
      gtk_widget_add_controller(widget, pan)
    }
  }
#endif
