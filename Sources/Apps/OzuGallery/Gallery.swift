#if GTK
  import CGTK
  import Foundation
  import Ozu
  import OzuGTK

  /// The app: a grid of pictures from folders, files, a list of addresses or a server of its own, and a view of one picture.
  @MainActor
  public enum Gallery {
    /// The identifier of the app for the desktop.
    public static let identifier = "org.ozu.Gallery"

    private static var windows: [GalleryWindow] = []
    /// How many tasks change files.
    private static var workCount = 0
    private static var quit: @MainActor () -> Void = {}
    /// The time that a message stays, in which the user can undo.
    public static var noticeDuration = Duration.seconds(6)
    /// How long a turned picture waits until its file is written.
    public static var turnDelay = Duration.milliseconds(1500)
    /// The time that a slide is shown, instead of the setting; for the drills.
    public static var slideDuration: Duration?

    /// The limit of idle memory for pixels. It is small, because the buffers of a huge picture are large.
    private static let pixelBufferPool = PixelBufferPool(retainedByteLimit: 16 << 20)

    /// The configuration of the gallery's pipeline: the default one, with previews while pictures load, and with C libraries in
    /// processes of their own, whose program is this one: its `main` begins with `main(_:)` or `DecoderIsolation.runIfHelper()`.
    public static var configuration: ImagePipeline.Configuration {
      var configuration = ImagePipeline.Configuration()
      configuration.decoding.isProgressiveDecodingEnabled = true
      // Files of strangers are what a viewer is for, and drawings (SVG) are read in no other way. The time is above that of the
      // processor, so a slow machine does not end what the limits allow.
      configuration.decoding.isolation = DecoderIsolation(
        .preferred, helper: .thisProgram, deadline: .seconds(300))
      // A file that the user opens may be a map or a panorama. Only the visible part of a large JPEG is decoded.
      configuration.decoding.limits.pixelCount = 1_000_000_000
      configuration.decoding.limits.encodedByteCount = 1 << 30
      configuration.decoding.limits.cpuTime = .seconds(120)
      // A viewer is one program of many, so pictures that are some screens away are read from the disk again.
      configuration.caching.memoryCache.costLimit = min(
        configuration.caching.memoryCache.costLimit, 256 << 20)
      configuration.decoding.pixelBufferPool = pixelBufferPool
      configuration.interceptors = [CutFiles()]
      return configuration
    }

    /// Runs the app until its last window is closed.
    ///
    /// - Parameter arguments: the arguments of the command line, without the program's name.
    public static func main(_ arguments: [String]) {
      // A process that the gallery has started to decode for it goes no further.
      DecoderIsolation.runIfHelper()
      if let text = answer(to: arguments) {
        FileHandle.standardOutput.write(Data("\(text)\n".utf8))
        return
      }
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
      // The drawn pictures of the demonstration exist only in the process that draws them.
      let isAlone = arguments.contains { $0.hasPrefix("-") }
      guard isAlone || SingleInstance.isFirst(opening: files, onOpen: { show($0, pipeline) }) else { return }
      open(source, pipeline)
      GLibMainLoop.run()
    }

    /// The version of the gallery, which is that of Ozu.
    public static let version = "0.9.0"

    /// The text that is printed instead of opening a window; `nil` if there are no such arguments.
    static func answer(to arguments: [String]) -> String? {
      if arguments.contains("--help") || arguments.contains("-h") { return help }
      return arguments.contains("--version") || arguments.contains("-V") ? "ozu-gallery \(version)" : nil
    }

    private static var help: String {
      Texts.language?.help
        ?? """
        Usage: ozu-gallery [FOLDER | PICTURE… | FILE]

        Shows pictures: those of a folder, single ones, or those of the addresses in a
        text file (.txt), one a line. A picture is shown large, among those of its
        folder. Without arguments the window asks what to open.

          ozu-gallery ~/Pictures
          ozu-gallery harbour.jpg
          ozu-gallery addresses.txt

          --demo         10,000 pictures that the program draws itself
          -h, --help     this text
          -V, --version  the version

        In the window, Ctrl+? lists the keys.
        """
    }

    /// Opens a window for pictures; the app ends when the last window is closed.
    private static func open(_ source: PictureSource, _ pipeline: ImagePipeline) {
      quit = { GLibMainLoop.quit() }
      let window = open(
        [], title: PictureSource.nothing.title, pipeline: pipeline, memoryFile: WindowMemory.standardFile
      ) {
        quitIfDone()
      }
      if source != .nothing { window.show(source) }
    }

    private static func quitIfDone() {
      if windows.isEmpty, workCount == 0 { quit() }
    }

    /// Begins a task that changes files. The app ends after it, also if its windows are closed before: half of a file would be
    /// left, and the other files as they are.
    @discardableResult
    static func work(_ change: @escaping @MainActor () async -> Void) -> Task<Void, Never> {
      workCount += 1
      return Task {
        await change()
        workCount -= 1
        quitIfDone()
      }
    }

    /// Shows the files of another start of the gallery: in a new window, unless there is an empty one.
    private static func show(_ urls: [URL], _ pipeline: ImagePipeline) {
      guard !urls.isEmpty else {
        // The app may have no window while it still moves files.
        if let last = windows.last { last.present() } else { open(.nothing, pipeline) }
        return
      }
      if let empty = windows.last(where: { $0.listing.pictures.isEmpty && $0.listing.folders.isEmpty }) {
        empty.show(PictureSource(opening: urls))
        empty.present()
      } else {
        open(PictureSource(opening: urls), pipeline)
      }
    }

    /// Opens a window for pictures.
    ///
    /// - Parameter memoryFile: the file for the size and the settings of the window; none by default.
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

    /// Makes all windows dark or light, regardless of the setting of the desktop.
    public static func setDark(_ isDark: Bool) { Look.appearance = isDark ? .dark : .light }

    static func closeAll() {
      for window in windows { window.close() }
    }
  }

  /// One process for all windows of the gallery: a later start passes its files to the first process over the session bus.
  ///
  /// Without a bus each start is the first.
  @MainActor
  enum SingleInstance {
    /// Owns the name on the bus, as long as the process lives.
    private static var application: UnsafeMutablePointer<GApplication>?
    private static var onOpen: @MainActor ([URL]) -> Void = { _ in }

    /// Takes the name of the gallery on the bus, or passes the files to the process that has it.
    ///
    /// - Parameters:
    ///   - urls: the files of the command line; empty to bring the first process to the front.
    ///   - onOpen: called in the first process with the files of a later one.
    /// - Returns: whether this process is the first and must continue.
    static func isFirst(opening urls: [URL], onOpen: @escaping @MainActor ([URL]) -> Void) -> Bool {
      guard let application = g_application_new(Gallery.identifier, G_APPLICATION_HANDLES_OPEN) else {
        return true
      }
      self.application = application
      self.onOpen = onOpen
      let open:
        @convention(c) (
          UnsafeMutablePointer<GApplication>?, UnsafeMutablePointer<OpaquePointer?>?, gint,
          UnsafePointer<CChar>?, gpointer?
        ) -> Void = { _, files, count, _, _ in
          // GLib's loop runs on the main thread.
          MainActor.assumeIsolated {
            SingleInstance.onOpen((0..<Int(count)).compactMap { files?[$0].flatMap(GalleryWindow.url(of:)) })
          }
        }
      // The signal's arguments are those of the function: the application, files, their number, a hint.
      g_signal_connect_data(
        application, "open", unsafeBitCast(open, to: GCallback.self), nil, nil,
        GConnectFlags(rawValue: 0))
      SignalSource(application).on("activate") { _ in SingleInstance.onOpen([]) }
      // An error means that the bus does not answer.
      guard g_application_register(application, nil, nil) != 0, g_application_get_is_remote(application) != 0
      else { return true }
      if urls.isEmpty {
        g_application_activate(application)
      } else {
        var files: [OpaquePointer?] = urls.map { g_file_new_for_path($0.path(percentEncoded: false)) }
        g_application_open(application, &files, gint(files.count), "")
        for file in files { g_object_unref(ObjectPointer(file!)) }
      }
      // The message must be sent before the process ends.
      if let bus = g_application_get_dbus_connection(application) {
        g_dbus_connection_flush_sync(bus, nil, nil)
      }
      return false
    }
  }

  /// Shows what is there of a file that is cut off, in place of an error.
  ///
  /// The whole is asked for first: a request that is content with a part is not derived from larger pictures.
  struct CutFiles: ImageInterceptor {
    func intercept(
      _ request: ImageRequest, next: ImageLoadChain<ImageResponse>
    ) async throws(ImageError) -> ImageResponse {
      do throws(ImageError) {
        return try await next.load(request)
      } catch {
        guard error.kind == .truncatedData, !request.allowsTruncation else { throw error }
        return try await next.load(request.with { $0.allowsTruncation = true })
      }
    }
  }
#endif
