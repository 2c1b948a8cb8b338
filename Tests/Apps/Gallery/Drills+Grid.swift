#if GTK
  import CGTK
  import Foundation
  import Ozu
  import OzuGTK
  import OzuTesting

  extension Drills {
    /// The grid of the library as an app uses it: cells, selection, loading ahead, a list that changes, texts of the app's own.
    func imageGrid() async throws {
      let checks = Checks()
      let folder = try PictureFolder(pictureCount: 60)
      defer { folder.remove() }
      let files = (1...60).map { folder.file("\($0).jpg") }
      for isAhead in [false, true] {
        try await withPipeline { pipeline in
          let grid = OzuGalleryDrills.grid(files, pipeline: pipeline)
          grid.prefetchesAhead = isAhead
          var opened: [Int] = []
          grid.onActivate = { opened.append($0) }
          let window = Self.window(with: grid.widget)
          gtk_window_set_default_size(window, 600, 400)
          defer { gtk_window_destroy(window) }
          let screen = Screen(window)
          await checks.eventually("pictures are in their cells", screen) {
            let cells = screen.visible(gtk_picture_get_type())
            return cells.count >= 8 && cells.allSatisfy { $0.picture.images.picture != nil }
          }
          let visible = screen.visible(gtk_picture_get_type()).count
          let expected = isAhead ? visible + 4 : visible
          await checks.eventually("\(expected) of them are loaded, ahead: \(isAhead)", screen) {
            pipeline.statistics.fileLoads >= expected
          }
          for _ in 0..<30 { await screen.nextFrame() }
          let loads = pipeline.statistics.fileLoads
          checks.expect(loads <= (isAhead ? 3 * visible : visible + 8), "and no more: \(loads) of \(visible)")
          let isSmall = files.allSatisfy { pipeline.cachedImage(for: $0) == nil }
          checks.expect(isSmall, "none is loaded in its own size, ahead: \(isAhead)")
          if isAhead {
            // The size is that of the cells, so the widget that comes into sight finds its picture.
            gtk_adjustment_set_value(gtk_scrolled_window_get_vadjustment(OpaquePointer(grid.widget)), 150)
            let hits = pipeline.statistics.memory.hits
            await checks.eventually("what was loaded ahead is found", screen) {
              pipeline.statistics.memory.hits > hits
            }
            return
          }
          let hands = Hands(screen: screen)
          let cells = screen.visible(gtk_picture_get_type())
          _ = try await Hands.xdotool(["keydown", "ctrl"])
          try await hands.click(cells[1].widget)
          _ = try await Hands.xdotool(["keyup", "ctrl"])
          await checks.eventually("Ctrl and a click select", screen) { grid.selectedPositions == [1] }
          try await hands.click(cells[2].widget)
          await checks.eventually("then a click selects one more", screen) {
            grid.selectedPositions == [1, 2]
          }
          checks.equal(opened, [], "what was opened meanwhile")
          grid.unselectAll()
          // Another cell: a second click on the same one soon after the first is a double click.
          try await hands.click(cells[3].widget)
          await checks.eventually("a click opens when none is selected", screen) { opened == [3] }
          checks.equal(
            grid.item(at: 3).map { grid.accessibleName($0, 3, grid.count) }, "4.jpg, 4 of 60",
            "what a screen reader hears")
        }
      }
      list(checks)
      texts(checks)
      output.add("imagegrid", checks, detail: "the grid of the library, in an app's hands")
    }

    /// A list keeps what stays when others come and go.
    private func list(_ checks: Checks) {
      let list = ImageGridList(["a", "b", "c", "b"].map { ImageGridItem(id: $0, request: nil) })
      checks.equal(list.ids, ["a", "b", "c"], "an identity counts once")
      list.insert(ImageGridItem(id: "d", request: nil, name: "Dee"), at: 1)
      list.insert(ImageGridItem(id: "a", request: nil), at: 3)
      checks.equal(list.ids, ["a", "d", "b", "c"], "an item that comes")
      checks.equal(list["d"]?.name, "Dee", "its name")
      checks.equal(list.remove("b"), 2, "the place of one that goes")
      checks.equal(list.remove("b"), nil, "of one that is gone")
      list.search("d")
      checks.equal(list.count, 1, "what a search leaves")
      checks.equal(list.position(of: "d"), 0, "its position")
      list.search("")
      list.show(["c", "a"].map { ImageGridItem(id: $0, request: nil) })
      checks.equal((0..<3).map(list.id), ["c", "a", nil], "other items")
      checks.equal([-1, Int.max].map(list.id), [nil, nil], "positions that no list has")
    }

    /// Every text of the library has every language, and an app may have its own.
    private func texts(_ checks: Checks) {
      let all = Set(ToolkitTexts.all)
      for (code, catalogue) in ToolkitTexts.catalogues {
        checks.equal(Set(catalogue.table.keys), all, "the texts in \(code)")
      }
      let error = ImageError.httpStatus(404, source: "a.jpg")
      checks.equal(error.title, "Not Found", "a title in English")
      checks.equal(error.reason, error.explanation, "a reason in English")
      ToolkitTexts.translate { text in
        ["Not Found": "Weg", "The server answered %1": "Der Server sagt %1"][text]
      }
      defer { ToolkitTexts.translate(nil) }
      checks.equal(error.title, "Weg", "a title of the app's own")
      checks.equal(error.reason, "Der Server sagt 404", "a reason of its own")
      checks.equal(ImageError.emptyData("a.jpg").title, "Empty File", "one that the app leaves alone")
    }
  }
#endif
