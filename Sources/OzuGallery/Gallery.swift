#if GTK
  import CGTK
  import Foundation
  import Ozu
  import OzuGTK

  /// The demo app: a grid of pictures from a folder, a file of addresses or a server of its own, and each of them large.
  @MainActor
  public enum Gallery {
    private static var windows: [GalleryWindow] = []

    /// How the gallery loads: as by default, and what comes slowly is shown while it comes.
    public static var configuration: ImagePipeline.Configuration {
      var configuration = ImagePipeline.Configuration()
      configuration.isProgressiveDecodingEnabled = true
      return configuration
    }

    /// Runs the app until its window is closed.
    ///
    /// - Parameter arguments: those of the command line, without the program's name.
    public static func main(_ arguments: [String]) {
      let source: PictureSource
      let items: [PictureItem]
      do {
        source = try PictureSource(arguments: arguments)
        items = try source.items()
      } catch {
        FileHandle.standardError.write(Data("ozu-gallery: \(error)\n".utf8))
        exit(error is PictureSource.Usage ? 2 : 1)
      }
      guard gtk_init_check() != 0 else {
        FileHandle.standardError.write(Data("ozu-gallery: there is no display to open a window on\n".utf8))
        exit(1)
      }
      open(items, title: source.title, pipeline: ImagePipeline(configuration)) { GLibMainLoop.quit() }
      GLibMainLoop.run()
    }

    /// Opens a window over pictures.
    @discardableResult
    public static func open(
      _ items: [PictureItem], title: String, pipeline: ImagePipeline,
      onClose: @escaping @MainActor () -> Void = {}
    ) -> GalleryWindow {
      GLibMainLoop.attach()
      let window = GalleryWindow(items, title: title, pipeline: pipeline)
      windows.append(window)
      window.onClose = { [weak window] in
        windows.removeAll { $0 === window }
        onClose()
      }
      window.present()
      return window
    }
  }
#endif
