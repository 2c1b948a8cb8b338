#if GTK
  import CGTK
  import Ozu

  /// Draws pictures with cairo outside of widgets, such as on pages that are printed.
  @MainActor
  package enum CairoPicture {
    /// Draws all pixels, each one unit large, from the origin of a `cairo_t`.
    ///
    /// Nothing is drawn if the picture has more pixels in a row than cairo takes.
    package static func draw(_ bitmap: Bitmap, in context: OpaquePointer) {
      let texture = Texture(bitmap)
      guard let surface = texture.surface else { return }
      cairo_set_source_surface(context, surface, 0, 0)
      cairo_paint(context)
    }
  }
#endif
