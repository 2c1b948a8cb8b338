#if GTK
  import CGTK
  import Ozu

  extension WidgetDisplay {
    /// The display of a widget, made when it is first asked for.
    ///
    /// - Precondition: the widget is a `GtkPicture`, a `GtkImage` or a `GtkButton`.
    static func of(_ widget: UnsafeMutablePointer<GtkWidget>, pipeline: ImagePipeline = .shared)
      -> WidgetDisplay
    {
      if ozu_is_a(widget, gtk_button_get_type()) != 0 { return of(icon(of: widget), pipeline: pipeline) }
      guard let kind = WidgetKind(widget) else {
        preconditionFailure("a picture can be set on a GtkPicture, a GtkImage or a GtkButton")
      }
      let object = UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GObject.self)
      if let known = g_object_get_qdata(object, displayKey) {
        return Unmanaged<WidgetDisplay>.fromOpaque(known).takeUnretainedValue()
      }
      let display = WidgetDisplay(widget, kind: kind, pipeline: pipeline)
      g_object_set_qdata_full(
        object, displayKey, Unmanaged.passRetained(display).toOpaque(),
        { display in
          if let display { Unmanaged<WidgetDisplay>.fromOpaque(display).release() }
        })
      return display
    }

    /// The image inside a button; one is added if the button has none.
    static func icon(of button: UnsafeMutablePointer<GtkWidget>) -> UnsafeMutablePointer<GtkWidget> {
      let button = UnsafeMutableRawPointer(button).assumingMemoryBound(to: GtkButton.self)
      if let child = gtk_button_get_child(button), WidgetKind(child) != nil { return child }
      let image: UnsafeMutablePointer<GtkWidget> = gtk_image_new()
      gtk_button_set_child(button, image)
      return image
    }

    private static let displayKey = g_quark_from_static_string("ozu-display")
  }
#endif
