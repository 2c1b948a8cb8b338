#if GTK
  import CGTK
  import Ozu

  /// The widgets that can show pictures, and GTK's functions for the values that a binding needs.
  @MainActor
  enum WidgetKind {
    /// A `GtkPicture`: it fills its place, and its mode is its content fit.
    case picture
    /// A `GtkImage`: an icon, as large as its pixel size.
    case image

    /// The kind of a widget; `nil` for one that shows no pictures.
    init?(_ widget: UnsafeMutablePointer<GtkWidget>) {
      if ozu_is_a(widget, gtk_picture_get_type()) != 0 {
        self = .picture
      } else if ozu_is_a(widget, gtk_image_get_type()) != 0 {
        self = .image
      } else {
        return nil
      }
    }

    func setPaintable(_ paintable: OpaquePointer?, of widget: UnsafeMutablePointer<GtkWidget>) {
      switch self {
      case .picture: gtk_picture_set_paintable(OpaquePointer(widget), paintable)
      case .image: gtk_image_set_from_paintable(OpaquePointer(widget), paintable)
      }
    }

    /// The size in points at which a picture is drawn; `nil` before the layout, and when the widget has only the size that an
    /// empty one asks for.
    func displaySize(of widget: UnsafeMutablePointer<GtkWidget>) -> DisplaySize? {
      switch self {
      case .picture:
        let (width, height) = (gtk_widget_get_width(widget), gtk_widget_get_height(widget))
        guard width > 0, height > 0, max(width, height) > ImagePaintable.emptySide else { return nil }
        return DisplaySize(Double(width), Double(height))
      case .image:
        let side = Double(iconSide(of: widget))
        return DisplaySize(side, side)
      }
    }

    /// The way a widget brings pictures to its size.
    func displayMode(of widget: UnsafeMutablePointer<GtkWidget>) -> ScaleMode {
      guard case .picture = self else { return .aspectFit }
      return switch gtk_picture_get_content_fit(OpaquePointer(widget)) {
      case GTK_CONTENT_FIT_FILL: .fill
      case GTK_CONTENT_FIT_COVER: .aspectFill
      default: .aspectFit
      }
    }

    /// The text that assistive technologies read. A `GtkPicture` keeps it.
    func alternativeText(of widget: UnsafeMutablePointer<GtkWidget>) -> String? {
      switch self {
      case .picture:
        gtk_picture_get_alternative_text(OpaquePointer(widget)).map { String(cString: $0) }
      case .image:
        g_object_get_qdata(Self.object(widget), Self.textKey).map {
          String(cString: $0.assumingMemoryBound(to: CChar.self))
        }
      }
    }

    /// Sets the text that assistive technologies read as the name of the picture; `nil` removes it.
    func setAlternativeText(_ text: String?, of widget: UnsafeMutablePointer<GtkWidget>) {
      switch self {
      // For GTK it is only a description, and then the name is that of the widget's class.
      case .picture: gtk_picture_set_alternative_text(OpaquePointer(widget), text)
      // GTK has no function that returns the label, so a copy is kept.
      case .image: g_object_set_qdata_full(Self.object(widget), Self.textKey, g_strdup(text)) { g_free($0) }
      }
      guard let text else {
        return gtk_accessible_reset_property(OpaquePointer(widget), GTK_ACCESSIBLE_PROPERTY_LABEL)
      }
      AccessibleName.set(text, of: widget)
    }

    private static let textKey = g_quark_from_static_string("ozu-alternative-text")

    private static func object(_ widget: UnsafeMutablePointer<GtkWidget>) -> UnsafeMutablePointer<GObject> {
      UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GObject.self)
    }

    /// The size at which GTK draws icons: the pixel size if one is set, else that of the icon size.
    private func iconSide(of widget: UnsafeMutablePointer<GtkWidget>) -> gint {
      let side = gtk_image_get_pixel_size(OpaquePointer(widget))
      if side > 0 { return side }
      return gtk_image_get_icon_size(OpaquePointer(widget)) == GTK_ICON_SIZE_LARGE ? 32 : 16
    }
  }
#endif
