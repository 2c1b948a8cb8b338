#if GTK
  import CGTK
  import Foundation
  import Ozu
  import OzuGTK

  extension GalleryWindow {
    func addActions() {
      gtk_widget_insert_action_group(cast(window, to: GtkWidget.self), "win", OpaquePointer(actions.group))
      let plain: [(String, @MainActor (GalleryWindow) -> Void)] = [
        ("open", { $0.chooseFiles() }), ("open-folder", { $0.chooseFolder() }),
        ("open-selected", { if let position = $0.grid.selected { $0.open(at: position) } }),
        ("copy", { $0.copy() }), ("trash", { $0.trash() }), ("undo", { $0.toast.undoNow() }),
        ("show-in-folder", { $0.showInFolder() }), ("properties", { $0.showProperties() }),
        ("left", { $0.step($0.isRightToLeft ? 1 : -1) }), ("right", { $0.step($0.isRightToLeft ? -1 : 1) }),
        ("next", { $0.step(1) }), ("previous", { $0.step(-1) }), ("first", { $0.open(at: 0) }),
        ("last", { $0.open(at: $0.grid.count - 1) }), ("zoom-in", { $0.detail.zoomIn() }),
        ("zoom-out", { $0.detail.zoomOut() }), ("zoom-fit", { $0.detail.resetZoom() }),
        ("zoom-pixels", { $0.detail.showPixels() }),
        ("turn-right", { $0.turns.turn(by: 1) }), ("turn-left", { $0.turns.turn(by: -1) }),
        ("back", { $0.goBack() }),
        ("fullscreen", { $0.toggleFullscreen() }), ("slideshow", { $0.toggleSlideshow() }),
        ("search", { $0.startSearch() }), ("up", { $0.goUp() }), ("cells-larger", { $0.changeCells(by: 1) }),
        ("cells-smaller", { $0.changeCells(by: -1) }), ("select-all", { $0.selectAll() }),
        ("unselect-all", { $0.grid.unselectAll() }), ("copy-to", { $0.transfer(.copy) }),
        ("move-to", { $0.transfer(.move) }), ("rename", { $0.rename() }), ("save-part", { $0.savePart() }),
        ("straighten", { $0.straighten() }), ("print", { $0.printPictures() }),
        ("wallpaper", { $0.ask(.wallpaper) }), ("send", { $0.ask(.email) }),
        ("open-with-other", { $0.ask(.open) }),
        ("preferences", { $0.preferences.open(over: $0.window) }),
        ("shortcuts", { ShortcutsWindow.open(over: $0.window) }), ("about", { About.open(over: $0.window) }),
        ("close", { $0.close() }), ("quit", { _ in Gallery.closeAll() }),
      ]
      for (name, action) in plain {
        actions.add(name) { [weak self] in if let self { action(self) } }
      }
      actions.addSwitch("names", isOn: memory.showsNames) { [weak self] in self?.preferences.setShowsNames($0)
      }
      for rating in 0...5 {
        actions.add("rate-\(rating)") { [weak self] in self?.rate(rating) }
      }
      actions.add("open-with", withText: { [weak self] in self?.open(with: $0) })
      let order = memory.order ?? .name
      actions.addChoice("order", order.rawValue) { [weak self] in
        self?.sort(by: PictureOrder(rawValue: $0) ?? .name)
      }
      actions.addSwitch("reversed", isOn: memory.isReversed ?? false) { [weak self] in
        self?.sort(isReversed: $0)
      }
      actions.addSwitch("only-rated") { [weak self] in self?.showOnlyRated($0) }
      actions.addSwitch("filmstrip") { [weak self] in self?.setFilmstrip($0) }
      if memory.showsFilmstrip ?? false { actions.activate("filmstrip") }
    }

    /// - Returns: whether the key has an action.
    func press(_ key: guint, _ modifiers: GdkModifierType) -> Bool {
      guard let shortcut = Shortcut.of(key, modifiers, isDetail: isShowingDetail), !isTyping(key, shortcut)
      else {
        if Int32(key) == GDK_KEY_Menu { return openMenuByKey() }
        return false
      }
      // Arrows move a picture that is larger than the window, so the large view handles them.
      if ["left", "right"].contains(shortcut.action), detail.zoom.isWiderThanView { return false }
      actions.activate(shortcut.action)
      return true
    }

    /// Whether a key is for the widget with the keyboard focus: Delete for an entry, the space bar for a button.
    private func isTyping(_ key: guint, _ shortcut: Shortcut) -> Bool {
      guard let focus = gtk_window_get_focus(window) else { return false }
      if Int32(key) == GDK_KEY_space { return ozu_is_a(focus, gtk_button_get_type()) != 0 }
      guard ozu_is_a(focus, gtk_editable_get_type()) != 0 else { return false }
      return shortcut.isTyped || ["trash", "copy", "undo", "select-all"].contains(shortcut.action)
    }

    var isRightToLeft: Bool {
      gtk_widget_get_direction(cast(window, to: GtkWidget.self)) == GTK_TEXT_DIR_RTL
    }

    /// Shows the picture at a distance from this one, if there is one.
    func step(_ distance: Int) {
      guard isShowingDetail else { return }
      open(at: position + distance)
    }

    private func setFilmstrip(_ isOn: Bool) {
      gtk_widget_set_visible(filmstrip.widget, isOn ? 1 : 0)
      memory.showsFilmstrip = isOn
    }

    /// Escape: out of the slideshow, out of the full screen, back to the grid; there nothing stays selected.
    private func goBack() {
      if slideshow != nil || gtk_window_is_fullscreen(window) != 0 {
        endSlideshow()
        leaveFullscreen()
      } else if isShowingDetail {
        closeDetail()
      } else {
        grid.unselectAll()
      }
    }

    func copy() {
      if isShowingDetail {
        Task {
          do throws(ImageError) {
            try await detail.copy()
          } catch {
            toast.show(tr("Cannot be copied: %1", error.explanation))
          }
        }
      } else if let item = subject {
        Task {
          do throws(ImageError) {
            let source = ImageRequest(item.source)
            try await Clipboard.copy(source, from: pipeline, to: gtk_widget_get_clipboard(grid.widget))
          } catch {
            toast.show(tr("Cannot be copied: %1", error.explanation))
          }
        }
      }
    }

    private func showProperties() {
      guard let item = subject else { return }
      PropertiesWindow.open(over: window, item, pipeline, isShowingDetail ? detail.response : nil)
    }

    // MARK: Full screen and slides

    func toggleFullscreen() {
      if gtk_window_is_fullscreen(window) != 0 { return leaveFullscreen() }
      if !isShowingDetail, grid.count > 0 { open(at: grid.selected ?? 0) }
      gtk_window_fullscreen(window)
    }

    func leaveFullscreen() {
      if gtk_window_is_fullscreen(window) != 0 { gtk_window_unfullscreen(window) }
    }

    private func toggleSlideshow() {
      guard slideshow == nil else {
        endSlideshow()
        return leaveFullscreen()
      }
      guard grid.count > 0 else { return }
      if !isShowingDetail { open(at: grid.selected ?? 0) }
      gtk_window_fullscreen(window)
      slideshow = Task { [weak self] in
        while let seconds = self?.slideDuration {
          try? await Task.sleep(for: seconds)
          guard !Task.isCancelled, let self else { return }
          open(at: (position + 1) % max(grid.count, 1))
        }
      }
    }

    private var slideDuration: Duration { Gallery.slideDuration ?? .seconds(memory.slideSeconds) }

    func endSlideshow() {
      slideshow?.cancel()
      slideshow = nil
    }

    // MARK: Menus

    func openMenu(over widget: Widget, _ x: Double, _ y: Double) {
      let files = subjects.compactMap(\.file)
      guard !subjects.isEmpty else { return }
      let programs = Programs.opening(files).map { (title: $0.name, id: $0.id) }
      Menus.open(
        Menus.context(
          isDetail: isShowingDetail, isFile: !files.isEmpty, isSeveral: subjects.count > 1, programs: programs
        ),
        over: widget, x, y)
    }

    private func openMenuByKey() -> Bool {
      guard subject != nil else { return false }
      let widget = isShowingDetail ? page.widget : grid.selectedCell ?? grid.widget
      openMenu(
        over: widget, Double(gtk_widget_get_width(widget)) / 2, Double(gtk_widget_get_height(widget)) / 2)
      return true
    }
  }

  @MainActor
  enum About {
    static func open(over parent: UnsafeMutablePointer<GtkWindow>) {
      let widget: Widget = gtk_about_dialog_new()
      let dialogue = OpaquePointer(widget)
      gtk_about_dialog_set_program_name(dialogue, "Ozu Gallery")
      gtk_about_dialog_set_version(dialogue, Gallery.version)
      gtk_about_dialog_set_comments(dialogue, tr("Shows pictures with the image library Ozu."))
      gtk_about_dialog_set_logo_icon_name(dialogue, Gallery.identifier)
      gtk_about_dialog_set_license_type(dialogue, GTK_LICENSE_APACHE_2_0)
      let window = cast(widget, to: GtkWindow.self)
      gtk_window_set_transient_for(window, parent)
      gtk_window_set_modal(window, 1)
      gtk_window_present(window)
    }
  }
#endif
