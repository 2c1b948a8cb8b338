#if GTK
  import CGTK
  import Ozu

  /// Lets the user drag the original of a view's picture to other programs.
  @MainActor
  enum DragSource {
    /// Adds a `GtkDragSource` to a widget, which owns it from then on.
    static func add(to widget: UnsafeMutablePointer<GtkWidget>, _ images: ImageBinding) -> OpaquePointer {
      let controller: OpaquePointer = gtk_drag_source_new()
      SignalSource(controller).connect("prepare", [ozu_type_double(), ozu_type_double()]) {
        [weak images] _, answer in
        guard let answer, let content = images.flatMap(content) else { return }
        g_value_take_object(answer, content)
      }
      gtk_widget_add_controller(widget, controller)
      return controller
    }

    /// The pixels are those of the whole picture if memory has it, else those that are shown, because a drag does not wait.
    private static func content(of images: ImageBinding) -> UnsafeMutablePointer<GdkContentProvider>? {
      guard let request = images.request, let shown = images.picture else { return nil }
      let original = images.pipeline.cachedImage(for: ImageRequest(request.source))
      return ClipboardContent.provider(for: request.source, original ?? shown, images.pipeline)
    }
  }
#endif
