#if GTK
  import CGTK
  import Foundation
  import OzuGTK
  import OzuGallery

  extension Drills {
    /// Pictures and folders are chosen in the dialog of the desktop, whichever GTK has: opened, cancelled, opened again. A
    /// folder for which the desktop has no program is a message.
    func choosing() async throws {
      let checks = Checks()
      let folder = try PictureFolder(pictureCount: 3)
      defer { folder.remove() }
      try await withPipeline { pipeline in
        try await withWindow([], pipeline, title: PictureSource.nothing.title) { window, screen in
          let hands = Hands(screen: screen)
          try await choose("ctrl+o", folder.file("2.jpg"), window, hands, checks)
          await checks.eventually("the file is shown large, in its folder", screen) {
            window.isShowingDetail && window.position == 1 && window.grid.count == 3
          }
          await showInFolder(window, screen, checks)
          window.closeDetail()

          try await choose("ctrl+o", nil, window, hands, checks)
          checks.equal(window.grid.count, 3, "the number of pictures after a dialog that was cancelled")
          checks.expect(!Self.says("can be opened", screen), "which is no failure")

          window.show([], title: PictureSource.nothing.title)
          try await choose("ctrl+shift+o", folder.url, window, hands, checks)
          await checks.eventually("a folder is opened", screen) { window.grid.count == 3 }
          checks.expect(!window.isShowingDetail, "and none of its pictures is large")
        }
      }
      output.add(
        "choosing", checks, detail: "files and folders by the dialogs of GTK, and a folder without a program")
    }

    /// Opens a dialog by a key and pastes a path into it; `nil` closes it by Escape.
    private func choose(
      _ key: String, _ file: URL?, _ window: GalleryWindow, _ hands: Hands, _ checks: Checks
    ) async throws {
      try await choose(file, window, hands, checks) { try await hands.press(key) }
    }

    /// The same, for a dialog that is opened in another way.
    func choose(
      _ file: URL?, _ window: GalleryWindow, _ hands: Hands, _ checks: Checks,
      opening: () async throws -> Void
    ) async throws {
      try await opening()
      await checks.eventually("a dialog opens", hands.screen) { Self.dialogue(over: window) != nil }
      guard let dialogue = Self.dialogue(over: window) else { return }
      let other = Screen(Self.window(dialogue))
      for _ in 0..<30 { await other.nextFrame() }
      if let file {
        // Pasted as a whole, because the dialog completes a path while it is typed.
        gdk_clipboard_set_text(gtk_widget_get_clipboard(dialogue), file.path(percentEncoded: false))
        try await hands.press("ctrl+l")
        for _ in 0..<30 { await other.nextFrame() }
        try await hands.press("ctrl+a", "ctrl+v")
        for _ in 0..<30 { await other.nextFrame() }
        try await hands.press("Return")
      } else {
        try await hands.press("Escape")
      }
      await checks.eventually("the dialog goes", hands.screen) { Self.dialogue(over: window) == nil }
    }

    private func showInFolder(_ window: GalleryWindow, _ screen: Screen, _ checks: Checks) async {
      // A desktop with a file manager would open it.
      guard g_app_info_get_default_for_type("inode/directory", 0) == nil else { return }
      gtk_widget_activate_action_variant(screen.window, "win.show-in-folder", nil)
      await checks.eventually("a folder without a program is a message", screen) {
        Self.says("The folder cannot be opened: ", screen)
      }
    }

    /// Whether a label that is to be seen has a text in it.
    static func says(_ part: String, _ screen: Screen) -> Bool {
      screen.visible(gtk_label_get_type()).contains { place in
        gtk_label_get_text(OpaquePointer(place.widget)).map { String(cString: $0).contains(part) } ?? false
      }
    }
  }
#endif
