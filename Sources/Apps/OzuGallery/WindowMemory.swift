#if GTK
  import Foundation

  /// The size and the settings of a window, saved from one run to the next.
  struct WindowMemory: Codable, Equatable {
    var width = 1100
    var height = 760
    var isMaximized = false
    var showsNames = false
    var showsFilmstrip: Bool? = false
    var appearance = Look.Appearance.system
    var fillsCells = true
    var slideSeconds = 4
    // Files of earlier versions do not have these.
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
