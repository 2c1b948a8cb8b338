#if GTK
  import CGTK
  import Foundation
  import Ozu
  import OzuGTK

  /// A window in which a picture is turned by a few degrees under a grid of lines, and saved as a copy.
  @MainActor
  enum StraightenWindow {
    /// Opens it over a window.
    ///
    /// - Parameter onSave: called with the angle in degrees, clockwise, which is not 0.
    static func open(
      over parent: UnsafeMutablePointer<GtkWindow>, _ item: PictureItem, _ pipeline: ImagePipeline,
      onSave: @escaping @MainActor (Double) -> Void
    ) {
      let save: Widget = gtk_button_new_with_mnemonic(tr("_Save Copy"))
      gtk_widget_add_css_class(save, "suggested-action")
      gtk_widget_set_sensitive(save, 0)
      let window = dialogue(tr("Straighten"), over: parent, button: save)
      gtk_window_set_default_size(window, 640, 560)
      gtk_window_set_resizable(window, 1)

      let view = StatusImageView(pipeline: pipeline)
      view.view.alternativeText = item.name
      gtk_widget_set_vexpand(view.widget, 1)
      gtk_overlay_add_overlay(OpaquePointer(view.widget), lines())
      let angle = label("", "dim-label")
      gtk_label_set_width_chars(OpaquePointer(angle), 7)
      let slider: Widget = gtk_scale_new_with_range(
        GTK_ORIENTATION_HORIZONTAL, -Straighten.largest, Straighten.largest, 0.1)
      // A range begins at its lower end.
      gtk_range_set_value(cast(slider, to: GtkRange.self), 0)
      gtk_scale_set_draw_value(cast(slider, to: GtkScale.self), 0)
      gtk_scale_add_mark(cast(slider, to: GtkScale.self), 0, GTK_POS_BOTTOM, nil)
      gtk_widget_set_hexpand(slider, 1)
      AccessibleName.set(tr("Angle in degrees"), of: slider)
      let bar = box(GTK_ORIENTATION_HORIZONTAL, spacing: 6, [slider, angle])
      setMargins(bar, 12)
      gtk_window_set_child(window, box(GTK_ORIENTATION_VERTICAL, [view.widget, bar]))

      // A tenth of a degree, which is a pixel in 600.
      let degrees = { (gtk_range_get_value(cast(slider, to: GtkRange.self)) * 10).rounded() / 10 }
      let show: @MainActor () -> Void = {
        let value = degrees()
        gtk_label_set_text(OpaquePointer(angle), text(value))
        gtk_widget_set_sensitive(save, value == 0 ? 0 : 1)
        view.images.setImage(request(for: item, degrees: value), options: options)
      }
      SignalSource(slider).on("value-changed") { _ in show() }
      SignalSource(save).on("clicked") { _ in
        let value = degrees()
        gtk_window_close(window)
        if value != 0 { onSave(value) }
      }
      show()
      gtk_window_present(window)
      gtk_widget_grab_focus(slider)
    }

    /// A picture stays until the next has come, which replaces it at once.
    private static let options = DisplayOptions { $0.transition = .none }

    /// Nothing of it is stored: only the slider has use for a picture of this angle.
    private static func request(for item: PictureItem, degrees: Double) -> ImageRequest {
      var request = ImageRequest(
        item.source, processors: degrees == 0 ? [] : [Straighten(degrees: degrees)], priority: .veryHigh)
      request.writeLayers = .originals
      return request
    }

    /// The angle as the locale writes it: `−1,5°`.
    private static func text(_ degrees: Double) -> String {
      degrees.formatted(
        .number.precision(.fractionLength(1)).sign(strategy: .always(includingZero: false))
          .locale(Texts.locale)) + "°"
    }

    /// Lines that divide the picture's view, to hold a horizon against.
    private static func lines() -> Widget {
      let area: Widget = gtk_drawing_area_new()
      gtk_widget_set_can_target(area, 0)
      gtk_drawing_area_set_draw_func(
        cast(area, to: GtkDrawingArea.self),
        { _, context, width, height, _ in
          cairo_set_line_width(context, 1)
          // A dark line beside a light one is seen on every picture.
          for (shade, offset) in [(0.0, 0.5), (1.0, 1.5)] {
            cairo_set_source_rgba(context, shade, shade, shade, 0.45)
            for step in 1..<8 {
              let (x, y) = (Double(width) * Double(step) / 8, Double(height) * Double(step) / 8)
              cairo_move_to(context, x.rounded() + offset, 0)
              cairo_line_to(context, x.rounded() + offset, Double(height))
              cairo_move_to(context, 0, y.rounded() + offset)
              cairo_line_to(context, Double(width), y.rounded() + offset)
            }
            cairo_stroke(context)
          }
        }, nil, nil)
      return area
    }
  }
#endif
