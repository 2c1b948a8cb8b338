#if GTK
  import CGTK
  import Foundation
  import Ozu
  import OzuGTK
  import OzuGallery

  extension Drills {
    /// The gallery in many states, to be looked at.
    func looks() async throws {
      let folder = try Self.brokenFolder()
      defer { folder.remove() }
      let names = ["bird", "osprey", "colosseum", "hills", "spices"]
      for (index, item) in try photos().prefix(5).enumerated() {
        guard case .url(let url) = item.source else { continue }
        try folder.write("\(names[index % names.count]) \(index).jpg", Data(contentsOf: url))
      }
      try await withPipeline { pipeline in
        let items = try PictureSource(opening: [folder.url]).items()
        try await withWindow(items, pipeline, title: "Holidays") { window, screen in
          let hands = Hands(screen: screen)
          gtk_window_set_default_size(window.window, 1_000, 700)
          try await hands.press("ctrl+n")
          try await Hands.leave(screen)
          try await rest(window, screen)
          try await keep("gallery-broken", screen, pipeline)
          Gallery.setDark(true)
          try await rest(window, screen)
          try await keep("gallery-dark", screen, pipeline)
          window.open(at: (0..<window.grid.count).first { window.grid.item(at: $0)?.name == "page.jpg" } ?? 0)
          try await rest(window, screen)
          try await keep("gallery-failure", screen, pipeline)
          Gallery.setDark(false)
          window.open(at: 0)
          try await rest(window, screen)
          try await keep("look-long-name", screen, pipeline)
          for (key, name) in [
            ("alt+Return", "properties"), ("ctrl+question", "shortcuts"), ("ctrl+comma", "preferences"),
          ] {
            try await hands.press(key)
            try await rest(window, screen)
            guard let dialogue = Self.dialogue(over: window) else { continue }
            try await keep("look-\(name)", Screen(Self.window(dialogue)), pipeline)
            try await hands.press("Escape")
            try await rest(window, screen)
          }
          try await hands.clickSecondary(window.detail.widget)
          try await rest(window, screen)
          if let menu = screen.visible(gtk_popover_menu_get_type()).first?.widget {
            var drawn: Bitmap?
            await screen.nextFrame { drawn = screen.picture(of: menu) }
            try await keep("look-menu", drawn, pipeline)
          }
          try await hands.press("Escape")
          try await hands.press("Delete")
          try await rest(window, screen)
          try await keep("look-undo", screen, pipeline)
          try await click("Undo", hands, Checks())
          window.closeDetail()
          gtk_widget_set_default_direction(GTK_TEXT_DIR_RTL)
          gtk_widget_set_direction(screen.window, GTK_TEXT_DIR_RTL)
          try await rest(window, screen)
          try await keep("gallery-right-to-left", screen, pipeline)
          window.open(at: 0)
          try await rest(window, screen)
          try await keep("look-right-to-left-large", screen, pipeline)
          gtk_widget_set_default_direction(GTK_TEXT_DIR_LTR)
        }
        try await withWindow([], pipeline, title: "Empty") { window, screen in
          try await rest(window, screen)
          try await keep("look-empty", screen, pipeline)
        }
        try await withWindow([], pipeline, title: PictureSource.nothing.title) { window, screen in
          try await rest(window, screen)
          try await keep("look-start", screen, pipeline)
        }
      }
      output.add("looks", failures: [], detail: "windows to be looked at")
    }

    /// The gallery on a screen of twice the pixels: in a process of its own, because a program learns of the scale from its
    /// environment.
    func density() async throws {
      guard ProcessInfo.processInfo.environment["GDK_SCALE"] != nil else {
        return try await runElsewhere("density", ["GDK_SCALE": "2"])
      }
      let checks = Checks()
      let items = try photos()
      try await withPipeline { pipeline in
        try await withWindow(items, pipeline, title: "Holidays") { window, screen in
          gtk_window_set_default_size(window.window, 640, 440)
          try await rest(window, screen)
          var drawn: Bitmap?
          await screen.nextFrame { drawn = screen.picture(scale: 2) }
          try await keep("gallery-twice-the-pixels", drawn, pipeline)
          let shown = screen.visible(gtk_picture_get_type(), below: window.grid.widget)
          checks.expect(!shown.isEmpty, "there are cells")
          for place in shown {
            guard let size = place.picture.images.picture?.size else { continue }
            let (cell, side) = (place.rectangle.size, min(size.width, size.height))
            checks.expect(
              side >= min(cell.width, cell.height) * 2, "a cell of \(cell) points has \(size) pixels")
          }
        }
      }
      output.add("density", checks, detail: "cells are sharp on a screen of twice the pixels")
    }

    /// The gallery in German, whose words are long, with the bar of several pictures.
    func german() async throws {
      guard Texts.code(in: ProcessInfo.processInfo.environment) == "de" else {
        return try await runElsewhere("german", ["LC_ALL": "de_DE.UTF-8", "LANGUAGE": ""])
      }
      let checks = Checks()
      let items = try photos()
      try await withPipeline { pipeline in
        try await withWindow(items, pipeline, title: "Fotos") { window, screen in
          gtk_window_set_default_size(window.window, 640, 440)
          try await rest(window, screen)
          window.grid.widget.focus()
          try await Hands(screen: screen).press("ctrl+a")
          await checks.eventually("the bar counts them in German", screen) {
            screen.says("\(items.count) ausgewählt")
          }
          try await Hands.leave(screen)
          try await rest(window, screen)
          try await keep("gallery-german", screen, pipeline)
        }
      }
      output.add("german", checks, detail: "the window in German")
    }

    /// The gallery without GNOME's library.
    func plain() async throws {
      guard ProcessInfo.processInfo.environment["OZU_PLAIN_GTK"] != nil else {
        return try await runElsewhere("plain", ["OZU_PLAIN_GTK": "1"])
      }
      let checks = Checks()
      let items = try photos()
      try await withPipeline { pipeline in
        try await withWindow(items, pipeline, title: "Holidays") { window, screen in
          gtk_window_set_default_size(window.window, 1_000, 700)
          try await rest(window, screen)
          try await keep("look-plain", screen, pipeline)
          Gallery.setDark(true)
          try await rest(window, screen)
          try await keep("look-plain-dark", screen, pipeline)
          Gallery.setDark(false)
          window.open(at: 1)
          await checks.eventually("a picture is shown large", screen) { window.detail.images.picture != nil }
        }
      }
      output.add("plain", checks, detail: "the gallery works where libadwaita is not")
    }

    /// Runs a drill in another process of this program.
    private func runElsewhere(_ drill: String, _ environment: [String: String]) async throws {
      let process = Process()
      process.executableURL = URL(filePath: CommandLine.arguments[0])
      process.arguments =
        [drill, "--photos", options.photos]
        + [
          ("--screenshots", options.screenshots), ("--golden", options.golden), ("--renew", options.renewed),
        ].flatMap { name, folder in folder.map { [name, $0] } ?? [] }
      process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        process.terminationHandler = { _ in continuation.resume() }
        do { try process.run() } catch { continuation.resume(throwing: error) }
      }
      output.add(
        drill, failures: process.terminationStatus == 0 ? [] : ["it failed, as said above"],
        detail: "in a process of its own, with \(environment)")
    }

    /// Waits for pictures and for what moves into its place.
    private func rest(_ window: GalleryWindow, _ screen: Screen) async throws {
      await settle(window, screen)
      await screen.frames(while: { window.detail.images.isLoading })
      for _ in 0..<45 { await screen.nextFrame() }
    }
  }
#endif
