#if GTK
  import CGTK
  import Foundation

  /// The number of pixels per point on the screen of a widget.
  @MainActor
  enum WidgetScale {
    private typealias SurfaceScale = @convention(c) (OpaquePointer?) -> Double

    /// GTK has fractional scales since 4.12, and this is built with 4.8 too, so the function is looked up at run time.
    private static let surfaceScale: SurfaceScale? = dlsym(nil, "gdk_surface_get_scale").map {
      unsafeBitCast($0, to: SurfaceScale.self)
    }

    /// The scale, which may be a fraction such as 1.5; whole before GTK 4.12.
    static func scale(of widget: UnsafeMutablePointer<GtkWidget>) -> Double {
      let whole = Double(gtk_widget_get_scale_factor(widget))
      guard let surfaceScale, let native = gtk_widget_get_native(widget),
        let surface = gtk_native_get_surface(native)
      else { return whole }
      let scale = surfaceScale(surface)
      return scale > 0 ? scale : whole
    }
  }
#endif
