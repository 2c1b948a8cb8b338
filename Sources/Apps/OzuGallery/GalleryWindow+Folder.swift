#if GTK
  import CGTK
  import Foundation
  import Ozu
  import OzuBase
  import OzuGTK

  /// Showing a source: reading it, following its changes, its order, and the way to other folders.
  extension GalleryWindow {
    /// Shows the pictures of a source. Folders are read on another thread.
    public func show(_ source: PictureSource) {
      showNumber += 1
      let number = showNumber
      let (order, isReversed, dates) = (self.order, self.isReversed, captureDates)
      Task {
        do {
          let listing = try await Self.listing(of: source, order, isReversed, dates)
          // The user may have opened something else in the meantime.
          guard number == showNumber else { return }
          show(listing, title: source.title, of: source)
          if let first = source.first, let position = grid.list.position(of: first) { open(at: position) }
        } catch {
          guard number == showNumber else { return }
          show(Listing(), title: source.title, of: source)
          say(tr("Cannot Be Opened"), Self.reason(error))
        }
      }
    }

    @concurrent
    static func listing(
      of source: PictureSource, _ order: PictureOrder, _ isReversed: Bool, _ dates: CaptureDates
    ) async throws -> Listing {
      try source.listing(by: order, isReversed: isReversed, dates)
    }

    private static func reason(_ error: any Error) -> String {
      guard let code = (error as? POSIXError)?.code.rawValue else { return error.localizedDescription }
      // In the language of the locale.
      return strerror(code).map { String(cString: $0) } ?? error.localizedDescription
    }

    /// Shows a listing instead of what there is.
    func show(_ listing: Listing, title: String, of source: PictureSource?) {
      turns.finish()
      toast.finish()
      showNumber += 1
      closeDetail()
      // The name by which a folder was found would hide what is in it.
      if gtk_search_bar_get_search_mode(OpaquePointer(searchBar)) != 0 {
        endSearch()
        followSearch()
      }
      self.title = title
      self.source = source
      self.listing = listing
      renamed = [:]
      grid.show(visible(listing))
      watch = listing.folder.flatMap { FolderWatch($0) { [weak self] in self?.reload() } }
      gtk_widget_set_visible(upButton, canGoUp && !isShowingDetail ? 1 : 0)
      updateTitle()
      updateStart()
      readDates()
    }

    /// The pictures of a listing that are shown: not those that go to the trash when the time to undo is over.
    func visible(_ listing: Listing) -> Listing {
      var listing = listing
      if !leaving.isEmpty { listing.pictures.removeAll { $0.file.map(leaving.contains) ?? false } }
      if showsOnlyRated {
        listing.folders = []
        listing.pictures.removeAll { $0.rating == 0 }
      }
      return listing
    }

    /// Reads the source again and shows what has changed.
    func reload() {
      guard let source, !isClosing else { return }
      // The server that draws pictures would be started once more.
      if case .demo = source { return }
      reloadNumber += 1
      let (number, shown, order, isReversed) = (reloadNumber, showNumber, self.order, self.isReversed)
      let dates = captureDates
      Task {
        let listing = try? await Self.listing(of: source, order, isReversed, dates)
        guard number == reloadNumber, shown == showNumber else { return }
        guard let listing else {
          // The file that was opened has gone or has another name. The rest of its folder is still there.
          if case .file = source, let folder = source.folder {
            self.source = .folder(folder)
            return reload()
          }
          // The folder is gone: the page says why.
          return show(source)
        }
        update(listing)
      }
    }

    private func update(_ new: Listing) {
      let old = listing
      listing = new
      if new.folder == nil { dropGone(old) }
      readDates()
      // Pictures in the caches are those of the old files.
      var stamps: [String: PictureStamp] = [:]
      for item in old.pictures { stamps[item.name] = item.stamp }
      let rewritten = listing.pictures.filter { item in stamps[item.name].map { $0 != item.stamp } ?? false }
      guard !rewritten.isEmpty else { return applyListing(rewritten: []) }
      let shown = showNumber
      Task {
        for item in rewritten { await pipeline.removeImage(for: ImageRequest(item.source)) }
        guard shown == showNumber else { return }
        applyListing(rewritten: Set(rewritten.map(\.name)))
      }
    }

    /// Takes files out of the listing of several places that were there and are gone, as the listing of a folder does. One that was
    /// never there stays, and its cell says so.
    private func dropGone(_ old: Listing) {
      let neverThere = Set(old.pictures.filter { $0.stamp == nil }.map(\.name))
      listing.pictures.removeAll { $0.file != nil && $0.stamp == nil && !neverThere.contains($0.name) }
    }

    /// Makes files that were opened together be read by their new names.
    func follow(_ moves: [FileTransfer.Pair]) {
      guard case .several(let urls)? = source else { return }
      source = .several(urls.map { url in moves.first { $0.from == url }?.to ?? url })
    }

    /// Shows the listing. The user may have gone on to another picture since its folder was read: with the place of the earlier
    /// one, keys would act on a picture that is not the one to be seen.
    private func applyListing(rewritten: Set<String>) {
      let large = isShowingDetail ? grid.item(at: position)?.name : nil
      grid.update(visible(listing))
      for name in rewritten { filmstrip.refresh(name) }
      defer {
        updateTitle()
        updateStart()
      }
      guard isShowingDetail, let current = large else { return }
      let newName = renamed.removeValue(forKey: current)
      guard
        let place = grid.list.position(of: current) ?? newName.flatMap({ grid.list.position(of: $0) })
      else {
        // It was removed by another program.
        if grid.count == 0 { closeDetail() } else { open(at: min(position, grid.count - 1)) }
        return
      }
      if rewritten.contains(current), !turns.isWaiting(current) {
        open(at: place)
      } else if grid.item(at: position)?.name != current || place != position {
        position = place
        showPlace()
      }
    }

    // MARK: Order

    var order: PictureOrder { memory.order ?? .name }
    var isReversed: Bool { memory.isReversed ?? false }

    func sort(by order: PictureOrder) {
      memory.order = order
      sortAgain()
    }

    func sort(isReversed: Bool) {
      memory.isReversed = isReversed
      sortAgain()
    }

    /// Asks files when their pictures were taken if these are sorted by it, and sorts them again. Until then they stand by the
    /// dates of their files.
    private func readDates() {
      dateReading?.cancel()
      guard order == .date, source?.isSorted ?? true else { return }
      let unknown = captureDates.fill(&listing.pictures)
      guard !unknown.isEmpty else { return }
      dateReading = Task { [weak self, pipeline] in
        let dates = await CaptureDates.read(unknown, pipeline)
        guard let self, !isClosing else { return }
        captureDates.merge(dates)
        guard !Task.isCancelled, order == .date else { return }
        sortAgain()
      }
    }

    private func sortAgain() {
      if source != nil { return reload() }
      _ = captureDates.fill(&listing.pictures)
      listing.pictures = order.sorted(listing.pictures, isReversed: isReversed)
      update(listing)
    }

    func showOnlyRated(_ isOn: Bool) {
      showsOnlyRated = isOn
      closeDetail()
      grid.show(visible(listing))
      updateTitle()
      updateStart()
    }

    // MARK: Folders

    /// Whether there is a folder above the one that is shown.
    var canGoUp: Bool { (listing.folder?.pathComponents.count ?? 0) > 1 }

    func goUp() {
      guard !isShowingDetail, canGoUp, let folder = listing.folder else { return }
      show(.folder(folder.deletingLastPathComponent()))
    }

    // MARK: Cells

    /// Makes the cells larger by some steps, or smaller.
    func changeCells(by steps: Int) {
      let sides = PictureGrid.cellSides
      let index = sides.firstIndex { $0 >= grid.cellSide } ?? 0
      setCells(min(max(index + steps, 0), sides.count - 1))
    }

    func setCells(_ index: Int) {
      let side = PictureGrid.cellSides[index]
      guard side != grid.cellSide else { return }
      grid.cellSide = side
      memory.cellSide = side
      gtk_adjustment_set_value(sizeAdjustment, Double(index))
    }

    /// Ctrl and the wheel change the size of the cells.
    func followWheel() {
      let flags =
        GTK_EVENT_CONTROLLER_SCROLL_VERTICAL.rawValue | GTK_EVENT_CONTROLLER_SCROLL_DISCRETE.rawValue
      let wheel = gtk_event_controller_scroll_new(GtkEventControllerScrollFlags(rawValue: flags))!
      gtk_event_controller_set_propagation_phase(wheel, GTK_PHASE_CAPTURE)
      SignalSource(wheel).onScroll { [weak self] _, distance in
        let state = gtk_event_controller_get_current_event_state(wheel)
        guard state.rawValue & GDK_CONTROL_MASK.rawValue != 0, distance != 0 else { return false }
        self?.changeCells(by: distance < 0 ? 1 : -1)
        return true
      }
      gtk_widget_add_controller(grid.widget, wheel)
    }

    /// The slider of the menu for the size of the cells.
    func sizeSlider() -> Widget {
      let smaller: Widget = gtk_image_new_from_icon_name("view-grid-symbolic")
      let slider: Widget = gtk_scale_new(GTK_ORIENTATION_HORIZONTAL, sizeAdjustment)
      gtk_scale_set_draw_value(cast(slider, to: GtkScale.self), 0)
      gtk_range_set_round_digits(cast(slider, to: GtkRange.self), 0)
      gtk_widget_set_size_request(slider, 160, -1)
      gtk_widget_set_hexpand(slider, 1)
      AccessibleName.set(tr("Size of the cells"), of: slider)
      gtk_widget_set_tooltip_text(slider, tr("Size of the cells"))
      SignalSource(sizeAdjustment).on("value-changed") { [weak self] _ in
        guard let self else { return }
        let index = Int(
          clamping: gtk_adjustment_get_value(sizeAdjustment), rounded: .toNearestOrAwayFromZero)
        setCells(min(max(index, 0), PictureGrid.cellSides.count - 1))
      }
      let row = box(GTK_ORIENTATION_HORIZONTAL, spacing: 6, [smaller, slider])
      gtk_widget_set_margin_start(row, 12)
      return row
    }

    // MARK: Dialogues

    func chooseFiles() {
      let filter = gtk_file_filter_new()!
      defer { g_object_unref(ObjectPointer(filter)) }
      gtk_file_filter_set_name(filter, tr("Pictures"))
      for suffix in ImageFormat.readEndings.sorted() { gtk_file_filter_add_suffix(filter, suffix) }
      choose(tr("Open Pictures"), filter) { [weak self] in self?.show(PictureSource(opening: $0)) }
    }

    func chooseFolder() {
      choose(tr("Open a Folder"), nil) { [weak self] in self?.show(PictureSource(opening: $0)) }
    }

    /// Asks for files, or for a folder if there is no filter.
    ///
    /// - Parameter action: called with what was chosen; not if that is nothing.
    func choose(
      _ title: String, _ filter: OpaquePointer?, _ action: @escaping @MainActor ([URL]) -> Void
    ) {
      let answer = Answer<[URL]> { [weak self] chosen in
        switch chosen {
        case .success([]): break
        case .success(let urls): action(urls)
        case .failure(let error): self?.toast.show(tr("Nothing can be opened: %1", error.message))
        }
      }
      ozu_choose_files(
        window, title, filter,
        { files, error, answer in
          let urls = files.map(GalleryWindow.urls) ?? []
          Answer<[URL]>.take(answer, error.map { .failure(DesktopError($0)) } ?? .success(urls))
        }, answer.retained())
    }

    private nonisolated static func urls(of files: OpaquePointer) -> [URL] {
      (0..<g_list_model_get_n_items(files)).compactMap { index in
        guard let file = g_list_model_get_item(files, index) else { return nil }
        defer { g_object_unref(file) }
        return url(of: OpaquePointer(file))
      }
    }

    nonisolated static func url(of file: OpaquePointer) -> URL? {
      guard let path = g_file_get_path(file) else { return nil }
      defer { g_free(path) }
      return URL(filePath: String(cString: path))
    }

    // MARK: Dropping

    func acceptDrops() {
      let target = gtk_drop_target_new(gdk_file_list_get_type(), GDK_ACTION_COPY)!
      SignalSource(target).onDrop { [weak self] value in
        guard let list = g_value_get_boxed(value).map({ OpaquePointer($0) }) else { return false }
        var urls: [URL] = []
        let first = gdk_file_list_get_files(list)
        var entry = first
        while let present = entry {
          if let file = present.pointee.data, let url = Self.url(of: OpaquePointer(file)) { urls.append(url) }
          entry = present.pointee.next
        }
        g_slist_free(first)
        guard !urls.isEmpty else { return false }
        self?.show(PictureSource(opening: urls))
        return true
      }
      let content = gtk_window_get_child(window)!
      SignalSource(target).on("notify::current-drop") { target in
        toggle(content, "drop-here", gtk_drop_target_get_current_drop(OpaquePointer(target)) != nil)
      }
      gtk_widget_add_controller(content, target)
    }
  }
#endif
