#if GTK
  import CGTK
  import Ozu

  /// The widgets that can show pictures, and what GTK calls the things a binding wants to know.
  @MainActor
  enum WidgetKind {
    /// A `GtkPicture`: as large as its place, its mode is its content fit.
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

    /// Has a widget draw a paintable.
    func setPaintable(_ paintable: OpaquePointer?, of widget: UnsafeMutablePointer<GtkWidget>) {
      switch self {
      case .picture: gtk_picture_set_paintable(OpaquePointer(widget), paintable)
      case .image: gtk_image_set_from_paintable(OpaquePointer(widget), paintable)
      }
    }

    /// The size in points that a picture is drawn at; `nil` before the layout, and when the widget was given no more room
    /// than an empty one asks for.
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

    /// What GTK draws icons at: the pixel size where one is set, else what its two icon sizes mean.
    private func iconSide(of widget: UnsafeMutablePointer<GtkWidget>) -> gint {
      let side = gtk_image_get_pixel_size(OpaquePointer(widget))
      if side > 0 { return side }
      return gtk_image_get_icon_size(OpaquePointer(widget)) == GTK_ICON_SIZE_LARGE ? 32 : 16
    }
  }
#endif
