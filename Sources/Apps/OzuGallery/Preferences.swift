#if GTK
  import CGTK
  import Foundation
  import Ozu
  import OzuGTK

  /// The window for the appearance of pictures.
  @MainActor
  final class Preferences {
    /// Called after each change of the saved settings.
    var onMemory: @MainActor (WindowMemory) -> Void = { _ in }
    private var memory: WindowMemory { didSet { onMemory(memory) } }
    private(set) var window: UnsafeMutablePointer<GtkWindow>?

    private static let modes: [(title: String, mode: ScaleMode)] = [
      (tr("Cover"), .aspectFill), (tr("Fit"), .aspectFit), (tr("Stretch"), .fill),
    ]

    init(memory: WindowMemory) { self.memory = memory }

    func setShowsNames(_ isOn: Bool) { memory.showsNames = isOn }

    /// Opens the window over another.
    func open(over parent: UnsafeMutablePointer<GtkWindow>) {
      if let window { return gtk_window_present(window) }
      let window = dialogue(tr("Preferences"), over: parent, isModal: false)
      self.window = window
      let heading = label(tr("Pictures"), "heading")
      gtk_widget_set_halign(heading, GTK_ALIGN_START)
      let content = box(GTK_ORIENTATION_VERTICAL, spacing: 12, [heading] + rows)
      setMargins(content, 24)
      gtk_widget_set_size_request(content, 340, -1)
      gtk_window_set_child(window, content)
      SignalSource(window).on("destroy") { [weak self] _ in self?.window = nil }
      gtk_window_present(window)
    }

    private var rows: [Widget] {
      [
        choiceRow(
          tr("Fill of cells"), Self.modes.map(\.title),
          selected: Self.modes.firstIndex { $0.mode == memory.style.mode } ?? 0
        ) { [weak self] in
          self?.memory.mode = Self.modes[$0].mode
        },
        switchRow(tr("Round corners"), isOn: memory.style.hasRoundedCorners) { [weak self] in
          self?.memory.hasRoundedCorners = $0
        },
        choiceRow(
          tr("Appearance"), [tr("Same as the desktop"), tr("Light"), tr("Dark")],
          selected: memory.appearance.rawValue
        ) { [weak self] in
          let appearance = Look.Appearance(rawValue: $0) ?? .system
          Look.appearance = appearance
          self?.memory.appearance = appearance
        },
        numberRow(tr("Seconds of a slide"), 1...60, value: memory.slideSeconds) { [weak self] in
          self?.memory.slideSeconds = $0
        },
      ]
    }
  }

  /// The size and the settings of a window, saved from one run to the next.
  struct WindowMemory: Codable, Equatable {
    var width = 1100
    var height = 760
    var isMaximized = false
    var showsNames = false
    var showsFilmstrip: Bool? = false
    var appearance = Look.Appearance.system
    var slideSeconds = 4
    /// What files of earlier versions have in place of a mode.
    private var fillsCells: Bool?
    // Files of earlier versions do not have these.
    var mode: ScaleMode?
    var hasRoundedCorners: Bool?
    var cellSide: Int?
    var order: PictureOrder?
    var isReversed: Bool?

    /// Reads the saved values; defaults for missing values and for those that make no sense.
    init(from file: URL?) {
      self.init()
      guard let file, let data = try? Data(contentsOf: file),
        let memory = try? JSONDecoder().decode(WindowMemory.self, from: data)
      else { return }
      self = memory
      width = min(max(width, 360), 8192)
      height = min(max(height, 300), 8192)
      slideSeconds = min(max(slideSeconds, 1), 60)
      if let side = cellSide, !PictureGrid.cellSides.contains(side) { cellSide = nil }
    }

    init() {}

    var style: PictureStyle {
      var style = PictureStyle()
      style.mode = mode ?? (fillsCells ?? true ? .aspectFill : .aspectFit)
      style.hasRoundedCorners = hasRoundedCorners ?? false
      style.showsNames = showsNames
      return style
    }

    /// Saves the values. Errors are ignored.
    func save(to file: URL?) {
      guard let file, let data = try? JSONEncoder().encode(self) else { return }
      try? FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try? data.write(to: file, options: .atomic)
    }

    /// The file of the app, by the rules of freedesktop.org.
    static var standardFile: URL {
      let environment = ProcessInfo.processInfo.environment
      let folder =
        environment["XDG_CONFIG_HOME"].map { URL(filePath: $0) }
        ?? FileManager.default.homeDirectoryForCurrentUser.appending(path: ".config")
      return folder.appending(path: "ozu-gallery").appending(path: "window.json")
    }
  }
#endif
