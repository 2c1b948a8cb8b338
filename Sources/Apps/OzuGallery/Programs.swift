#if GTK
  import CGTK
  import Foundation
  import OzuGTK

  /// The programs of the desktop that open pictures.
  @MainActor
  enum Programs {
    /// The programs that open files like the first of some, the usual one first; the gallery is not among them.
    static func opening(_ files: [URL]) -> [(name: String, id: String)] {
      guard let file = files.first,
        let type = g_content_type_guess(file.path(percentEncoded: false), nil, 0, nil)
      else { return [] }
      defer { g_free(type) }
      var programs: [(name: String, id: String)] = []
      forEach(g_app_info_get_recommended_for_type(type)) { program, id in
        guard id != "\(Gallery.identifier).desktop", let name = g_app_info_get_display_name(program) else {
          return
        }
        programs.append((String(cString: name), id))
      }
      return programs
    }

    /// Calls a closure with each program of a list and its identifier, and frees the list.
    private static func forEach(_ list: UnsafeMutablePointer<GList>?, _ body: (OpaquePointer, String) -> Void)
    {
      var entry = list
      while let present = entry {
        if let program = present.pointee.data.map({ OpaquePointer($0) }), let id = g_app_info_get_id(program)
        {
          body(program, String(cString: id))
        }
        entry = present.pointee.next
      }
      g_list_free_full(list) { g_object_unref($0!) }
    }

    /// Opens files with a program.
    ///
    /// - Returns: the reason why it could not be started.
    static func open(_ files: [URL], with id: String) -> String? {
      var found: OpaquePointer?
      forEach(g_app_info_get_all()) { program, other in
        guard other == id, found == nil else { return }
        g_object_ref(ObjectPointer(program))
        found = program
      }
      guard let program = found else { return id }
      defer { g_object_unref(ObjectPointer(program)) }
      var list: UnsafeMutablePointer<GList>?
      for file in files.reversed() {
        list = g_list_prepend(list, ObjectPointer(g_file_new_for_path(file.path(percentEncoded: false))))
      }
      defer { g_list_free_full(list, { g_object_unref($0!) }) }
      var error: UnsafeMutablePointer<GError>?
      defer { g_clear_error(&error) }
      return g_app_info_launch(program, list, nil, &error) != 0 ? nil : DesktopError(error).message
    }
  }
#endif
