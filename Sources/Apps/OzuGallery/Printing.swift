#if GTK
  import CGTK
  import Foundation
  import Ozu
  import OzuBase
  import OzuGTK

  /// Prints pictures by the dialog of the desktop, one on each page, as large as the page and turned if that makes it larger.
  ///
  /// Each picture is loaded when its page is drawn, so many of them take the memory of one.
  @MainActor
  public final class Printing {
    private let operation: UnsafeMutablePointer<GtkPrintOperation> = gtk_print_operation_new()
    private let items: [PictureItem]
    private let pipeline: ImagePipeline
    /// The pictures that could not be loaded, and why.
    private var problems: [String] = []
    private var onEnd: @MainActor (String?) -> Void = { _ in }
    private var action = GTK_PRINT_OPERATION_ACTION_PRINT_DIALOG
    private var window: UnsafeMutablePointer<GtkWindow>?
    /// Keeps the object while GTK prints.
    private var itself: Printing?

    /// Enough for 300 dots per inch on A3 paper.
    private static let longestSide = 4_961

    /// Makes a print job for pictures.
    public init(_ items: [PictureItem], _ pipeline: ImagePipeline) {
      (self.items, self.pipeline) = (items, pipeline)
      gtk_print_operation_set_n_pages(operation, gint(clamping: items.count))
      gtk_print_operation_set_allow_async(operation, 1)
      gtk_print_operation_set_embed_page_setup(operation, 1)
      gtk_print_operation_set_job_name(operation, items.count == 1 ? items[0].name : tr("Pictures"))
      SignalSource(operation).onPage("draw-page") { [weak self] context, page in
        self?.draw(page, OpaquePointer(context))
      }
      SignalSource(operation).on("done", withValueOf: gtk_print_operation_result_get_type()) {
        [weak self] code in self?.end(code)
      }
    }

    isolated deinit { g_object_unref(ObjectPointer(operation)) }

    /// Shows the dialog over a window.
    ///
    /// - Parameter onEnd: called once at the end, with the reason if something was not printed.
    func run(
      over window: UnsafeMutablePointer<GtkWindow>, onEnd: @escaping @MainActor (String?) -> Void
    ) {
      start(GTK_PRINT_OPERATION_ACTION_PRINT_DIALOG, window, onEnd)
    }

    /// Writes the pages into a PDF file without asking.
    ///
    /// - Parameter onEnd: called once at the end, with the reason if something was not written.
    public func export(to file: URL, onEnd: @escaping @MainActor (String?) -> Void) {
      gtk_print_operation_set_export_filename(operation, file.path(percentEncoded: false))
      start(GTK_PRINT_OPERATION_ACTION_EXPORT, nil, onEnd)
    }

    private func start(
      _ action: GtkPrintOperationAction, _ window: UnsafeMutablePointer<GtkWindow>?,
      _ onEnd: @escaping @MainActor (String?) -> Void
    ) {
      (self.onEnd, self.action, self.window) = (onEnd, action, window)
      itself = self
      // GTK writes a file in a main loop of its own, inside the call. The pictures come by Swift tasks, which do not run in a
      // loop inside a task, so GLib makes the call.
      g_idle_add(
        { printing in
          guard let printing else { return 0 }
          let address = UInt(bitPattern: printing)
          MainActor.assumeIsolated {
            guard let pointer = ObjectPointer(bitPattern: address) else { return }
            Unmanaged<Printing>.fromOpaque(pointer).takeRetainedValue().begin()
          }
          return 0
        }, Unmanaged.passRetained(self).toOpaque())
    }

    private func begin() {
      // The outcome comes with the signal, also that of a start that fails.
      gtk_print_operation_run(operation, action, window, nil)
    }

    private func end(_ code: Int) {
      guard itself != nil else { return }
      var error: UnsafeMutablePointer<GError>?
      defer { g_clear_error(&error) }
      if code == Int(GTK_PRINT_OPERATION_RESULT_ERROR.rawValue) {
        gtk_print_operation_get_error(operation, &error)
      }
      onEnd(error.map { DesktopError($0).message } ?? problems.first)
      itself = nil
    }

    // MARK: Pages

    /// Loads the picture of a page, and draws it when it has come.
    private func draw(_ page: Int, _ context: OpaquePointer) {
      guard items.indices.contains(page) else { return }
      gtk_print_operation_set_defer_drawing(operation)
      g_object_ref(ObjectPointer(context))
      let (item, side) = (items[page], Self.longestSide)
      Task {
        do throws(ImageError) {
          var request = ImageRequest(item.source, resize: Resize(PixelSize(side, side)))
          // Nothing else has use for pictures of this size.
          request.cachePolicy = .bypass
          draw(try await pipeline.image(for: request).bitmap, context)
        } catch {
          problems.append("“\(item.name)”: \(error.explanation)")
        }
        g_object_unref(ObjectPointer(context))
        gtk_print_operation_draw_page_finish(operation)
      }
    }

    private func draw(_ bitmap: Bitmap, _ context: OpaquePointer) {
      let (width, height) = (Double(bitmap.size.width), Double(bitmap.size.height))
      let page = (
        width: gtk_print_context_get_width(context), height: gtk_print_context_get_height(context)
      )
      let place = PagePlace(width, height, on: page.width, page.height)
      guard let cairo = gtk_print_context_get_cairo_context(context) else { return }
      cairo_translate(cairo, page.width / 2, page.height / 2)
      if place.isTurned { cairo_rotate(cairo, .pi / 2) }
      cairo_scale(cairo, place.scale, place.scale)
      cairo_translate(cairo, -width / 2, -height / 2)
      CairoPicture.draw(bitmap, in: cairo)
    }
  }

  /// Where a picture is on a page: in its middle.
  struct PagePlace: Equatable {
    /// Whether the picture is turned by a quarter.
    let isTurned: Bool
    /// The units of the page for each pixel.
    let scale: Double

    init(_ width: Double, _ height: Double, on pageWidth: Double, _ pageHeight: Double) {
      let upright = min(pageWidth / width, pageHeight / height)
      let turned = min(pageWidth / height, pageHeight / width)
      isTurned = turned > upright
      scale = max(upright, turned)
    }
  }
#endif
