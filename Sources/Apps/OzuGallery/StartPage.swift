#if GTK
  import CGTK

  /// The page of a window without pictures: the reason, and buttons to open some.
  @MainActor
  struct StartPage {
    let widget: Widget
    private let title: Widget
    private let text: Widget

    init() {
      let icon: Widget = gtk_image_new_from_icon_name("image-x-generic-symbolic")
      gtk_image_set_pixel_size(OpaquePointer(icon), 96)
      gtk_widget_add_css_class(icon, "dim-label")
      title = label("", "start-title")
      text = label("", "dim-label")
      for line in [title, text] {
        gtk_label_set_wrap(OpaquePointer(line), 1)
        gtk_label_set_justify(OpaquePointer(line), GTK_JUSTIFY_CENTER)
        gtk_label_set_max_width_chars(OpaquePointer(line), 40)
      }
      let buttons = [
        (tr("Open _Folder…"), "win.open-folder", true), (tr("Open _Pictures…"), "win.open", false),
      ].map {
        title, action, isSuggested in
        let button: Widget = gtk_button_new_with_mnemonic(title)
        gtk_actionable_set_action_name(OpaquePointer(button), action)
        gtk_widget_add_css_class(button, "pill")
        if isSuggested { gtk_widget_add_css_class(button, "suggested-action") }
        gtk_widget_set_halign(button, GTK_ALIGN_CENTER)
        return button
      }
      widget = box(GTK_ORIENTATION_VERTICAL, spacing: 12, [icon, title, text] + buttons)
      gtk_widget_add_css_class(widget, "start-page")
      gtk_widget_set_valign(widget, GTK_ALIGN_CENTER)
      gtk_widget_set_vexpand(widget, 1)
    }

    /// Shows the reason why there are no pictures.
    func say(_ title: String, _ text: String) {
      gtk_label_set_text(OpaquePointer(self.title), title)
      gtk_label_set_text(OpaquePointer(self.text), text)
    }
  }
#endif
