#if GTK
  import CGTK

  /// The window about the program.
  @MainActor
  enum About {
    /// Opens the window over another.
    static func open(over parent: UnsafeMutablePointer<GtkWindow>) {
      let widget: Widget = gtk_about_dialog_new()
      let dialogue = OpaquePointer(widget)
      gtk_about_dialog_set_program_name(dialogue, "Ozu Gallery")
      gtk_about_dialog_set_comments(dialogue, "Shows pictures with the image library Ozu.")
      gtk_about_dialog_set_logo_icon_name(dialogue, Gallery.identifier)
      gtk_about_dialog_set_license_type(dialogue, GTK_LICENSE_APACHE_2_0)
      let window = cast(widget, to: GtkWindow.self)
      gtk_window_set_transient_for(window, parent)
      gtk_window_set_modal(window, 1)
      gtk_window_present(window)
    }
  }
#endif
