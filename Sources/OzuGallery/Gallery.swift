#if GTK
  import CGTK
  import Foundation
  import Ozu
  import OzuGTK

  /// The app: a grid of pictures from folders, files, a list of addresses or a server of its own, and each of them large.
  @MainActor
  public enum Gallery {
    /// What the desktop knows the app by.
    public static let identifier = "org.ozu.Gallery"

    private static var windows: [GalleryWindow] = []
    /// How long a message stays, and with it the time to undo.
    public static var noticeDuration = Duration.seconds(6)
    /// How long a slide is seen, in place of what was chosen; for the drills.
    public static var slideDuration: Duration?

    /// Idle memory for pixels: of the large ones of a huge picture, little is kept.
    private static let pixelBufferPool = PixelBufferPool(retainedByteLimit: 16 << 20)

    /// How the gallery loads: as by default, and what comes slowly is shown while it comes.
    public static var configuration: ImagePipeline.Configuration {
      var configuration = ImagePipeline.Configuration()
      configuration.decoding.isProgressiveDecodingEnabled = true
      // What somebody opens by hand may be a map or a panorama. Of a large JPEG no more is decoded than is seen.
      configuration.decoding.limits.pixelCount = 1_000_000_000
      configuration.decoding.limits.encodedByteCount = 1 << 30
      configuration.decoding.limits.cpuTime = .seconds(120)
      // A viewer is one program of many: what is further away than some screenfuls comes from the disk.
      configuration.caching.memoryCache.costLimit = min(
        configuration.caching.memoryCache.costLimit, 256 << 20)
      configuration.decoding.pixelBufferPool = pixelBufferPool
      return configuration
    }

    /// Runs the app until its last window is closed.
    ///
    /// - Parameter arguments: those of the command line, without the program's name.
    public static func main(_ arguments: [String]) {
      let source: PictureSource
      do {
        source = try PictureSource(arguments: arguments)
      } catch {
        FileHandle.standardError.write(Data("ozu-gallery: \(error)\n".utf8))
        exit(2)
      }
      g_set_prgname(identifier)
      g_set_application_name("Ozu Gallery")
      guard gtk_init_check() != 0 else {
        FileHandle.standardError.write(Data("ozu-gallery: there is no display to open a window on\n".utf8))
        exit(1)
      }
      let pipeline = ImagePipeline(configuration)
      let files = arguments.filter { !$0.hasPrefix("-") }.map { URL(filePath: $0) }
      // What is drawn for the demonstration belongs to the process that draws it.
      let isAlone = arguments.contains { $0.hasPrefix("-") }
      guard isAlone || SingleInstance.isFirst(opening: files, onOpen: { show($0, pipeline) }) else { return }
      open(source, pipeline)
      GLibMainLoop.run()
    }

    /// Opens a window over pictures; the last that is closed ends the app.
    private static func open(_ source: PictureSource, _ pipeline: ImagePipeline) {
      let window = open(
        [], title: PictureSource.nothing.title, pipeline: pipeline, memoryFile: WindowMemory.standardFile
      ) {
        if windows.isEmpty { GLibMainLoop.quit() }
      }
      if source != .nothing { window.show(source) }
    }

    /// Shows what the gallery was started with once more: in a window of its own, unless there is an empty one.
    private static func show(_ urls: [URL], _ pipeline: ImagePipeline) {
      guard !urls.isEmpty else {
        windows.last?.present()
        return
      }
      if let empty = windows.last(where: { $0.grid.count == 0 }) {
        empty.show(PictureSource(opening: urls))
        empty.present()
      } else {
        open(PictureSource(opening: urls), pipeline)
      }
    }

    /// Opens a window over pictures.
    ///
    /// - Parameter memoryFile: where it remembers what it looks like; by default nowhere.
    @discardableResult
    public static func open(
      _ items: [PictureItem], title: String, pipeline: ImagePipeline, memoryFile: URL? = nil,
      onClose: @escaping @MainActor () -> Void = {}
    ) -> GalleryWindow {
      GLibMainLoop.attach()
      let window = GalleryWindow(items, title: title, pipeline: pipeline, memoryFile: memoryFile)
      windows.append(window)
      window.onClose = { [weak window] in
        windows.removeAll { $0 === window }
        onClose()
      }
      window.present()
      return window
    }

    /// Makes all windows dark or light, whatever the desktop says.
    public static func setDark(_ isDark: Bool) { Look.appearance = isDark ? .dark : .light }

    /// Closes all windows.
    static func closeAll() {
      for window in windows { window.close() }
    }
  }
#endif
