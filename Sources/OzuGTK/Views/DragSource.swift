#if GTK
  import CGTK
  import Ozu

  /// Lets the original of a view's picture be dragged to other programs.
  @MainActor
  enum DragSource {
    /// What GTK asks when a drag begins; the controller holds it.
    private final class Subject {
      weak var images: ImageBinding?
      init(_ images: ImageBinding) { self.images = images }
    }

    /// Adds a `GtkDragSource` to a widget, which holds it from then on.
    static func add(to widget: UnsafeMutablePointer<GtkWidget>, _ images: ImageBinding) -> OpaquePointer {
      let controller: OpaquePointer = gtk_drag_source_new()
      let prepare: @convention(c) (OpaquePointer, Double, Double, ObjectPointer) -> OpaquePointer? = {
        _, _, _, context in
        let address = UInt(bitPattern: context)
        let provider = MainActor.assumeIsolated {
          let subject = Unmanaged<Subject>.fromOpaque(ObjectPointer(bitPattern: address)!)
            .takeUnretainedValue()
          return UInt(bitPattern: subject.images.flatMap(DragSource.content))
        }
        return OpaquePointer(bitPattern: provider)
      }
      g_signal_connect_data(
        ObjectPointer(controller), "prepare", unsafeBitCast(prepare, to: GCallback.self),
        Unmanaged.passRetained(Subject(images)).toOpaque(),
        { context, _ in
          if let context { Unmanaged<Subject>.fromOpaque(context).release() }
        }, GConnectFlags(rawValue: 0))
      gtk_widget_add_controller(widget, controller)
      return controller
    }

    /// The pixels are the whole picture's if memory has it, else those that are shown: a drag does not wait.
    private static func content(of images: ImageBinding) -> UnsafeMutablePointer<GdkContentProvider>? {
      guard let request = images.request, let shown = images.picture else { return nil }
      let original = images.pipeline.cachedImage(for: ImageRequest(request.source))
      return ClipboardContent.provider(for: request.source, original ?? shown, images.pipeline)
    }
  }
#endif
