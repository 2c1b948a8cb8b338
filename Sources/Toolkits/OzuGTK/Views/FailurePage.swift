#if GTK
  import CGTK
  import Ozu

  /// Shows over a view the reason why there is no picture, with a button that asks again.
  @MainActor
  final class FailurePage {
    private let page: UnsafeMutablePointer<GtkWidget>
    private let title: UnsafeMutablePointer<GtkWidget>
    private let reason: UnsafeMutablePointer<GtkWidget>?

    init(
      _ overlay: OpaquePointer, _ style: StatusImageView.Style, retry: @escaping @MainActor () -> Void
    ) {
      let isLarge = style == .large
      page = gtk_box_new(GTK_ORIENTATION_VERTICAL, isLarge ? 12 : 4)
      g_object_ref_sink(ObjectPointer(page))
      gtk_widget_add_css_class(page, "ozu-failure")
      gtk_widget_set_halign(page, GTK_ALIGN_CENTER)
      gtk_widget_set_valign(page, GTK_ALIGN_CENTER)
      title = Self.label(isLarge ? "title-2" : "caption-heading", wraps: isLarge)
      reason = isLarge ? Self.label("body", wraps: true) : nil
      let button = Self.button(isLarge)
      SignalSource(button).on("clicked") { _ in retry() }
      if isLarge {
        let icon: UnsafeMutablePointer<GtkWidget> = gtk_image_new_from_icon_name("image-missing-symbolic")
        gtk_image_set_pixel_size(OpaquePointer(icon), 64)
        gtk_widget_add_css_class(icon, "dim-label")
        for child in [icon, title, reason, button] { append(child) }
      } else {
        for child in [button, title] { append(child) }
      }
      gtk_overlay_add_overlay(overlay, page)
    }

    isolated deinit { g_object_unref(ObjectPointer(page)) }

    /// Shows the reason of a failure.
    func show(_ error: ImageError) {
      gtk_label_set_text(OpaquePointer(title), error.title)
      if let reason {
        gtk_label_set_text(OpaquePointer(reason), Self.sentence(error.explanation))
      } else {
        gtk_widget_set_tooltip_text(page, Self.sentence(error.explanation))
      }
      gtk_widget_set_visible(page, 1)
    }

    func hide() { gtk_widget_set_visible(page, 0) }

    /// Explanations begin in lower case, because elsewhere they follow the name of a source.
    private static func sentence(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }

    private func append(_ child: UnsafeMutablePointer<GtkWidget>?) {
      gtk_box_append(UnsafeMutableRawPointer(page).assumingMemoryBound(to: GtkBox.self), child)
    }

    private static func label(_ name: String, wraps: Bool) -> UnsafeMutablePointer<GtkWidget> {
      let label: UnsafeMutablePointer<GtkWidget> = gtk_label_new("")
      gtk_widget_add_css_class(label, name)
      gtk_label_set_justify(OpaquePointer(label), GTK_JUSTIFY_CENTER)
      if wraps {
        gtk_label_set_wrap(OpaquePointer(label), 1)
        gtk_label_set_wrap_mode(OpaquePointer(label), PANGO_WRAP_WORD_CHAR)
        gtk_label_set_max_width_chars(OpaquePointer(label), 50)
        gtk_label_set_selectable(OpaquePointer(label), 0)
      } else {
        gtk_label_set_ellipsize(OpaquePointer(label), PANGO_ELLIPSIZE_END)
        gtk_label_set_max_width_chars(OpaquePointer(label), 16)
      }
      return label
    }

    private static func button(_ isLarge: Bool) -> UnsafeMutablePointer<GtkWidget> {
      let button: UnsafeMutablePointer<GtkWidget>
      if isLarge {
        button = gtk_button_new_with_label("Try Again")
        gtk_widget_add_css_class(button, "pill")
      } else {
        button = gtk_button_new_from_icon_name("view-refresh-symbolic")
        gtk_widget_add_css_class(button, "flat")
        gtk_widget_add_css_class(button, "circular")
        gtk_widget_set_tooltip_text(button, "Try again")
      }
      gtk_widget_set_halign(button, GTK_ALIGN_CENTER)
      return button
    }
  }
#endif
