#if GTK
  import CGTK
  import Foundation
  import Ozu
  import OzuGTK

  // The samples of Documentation/gtk-recipes.md as they stand there, over stand-ins for the types of the frameworks.

  /// Stand-ins for the types of adwaita-swift that the article uses.
  enum AdwaitaRecipe {
    // With `@preconcurrency import Adwaita` the compiler does not ask whether it is.
    final class ViewStorage: @unchecked Sendable {
      var fields: [String: Any] = [:]
      var previousState: Any?
      let opaquePointer: OpaquePointer?
      init(_ pointer: OpaquePointer?) { opaquePointer = pointer }
    }
    struct WidgetData {}
    protocol ViewRenderData {}
    struct MainView: ViewRenderData {}
    protocol AdwaitaWidget {
      func container<Data>(data: WidgetData, type: Data.Type) -> ViewStorage where Data: ViewRenderData
      func update<Data>(
        _ storage: ViewStorage, data: WidgetData, updateProperties: Bool, type: Data.Type
      ) where Data: ViewRenderData
    }

    struct Photo: AdwaitaWidget {
      var url: URL
      var name: String

      func container<Data>(data: WidgetData, type: Data.Type) -> ViewStorage where Data: ViewRenderData {
        let storage = MainActor.assumeIsolated {
          let view = StatusImageView()
          let storage = ViewStorage(OpaquePointer(view.widget))
          storage.fields["view"] = view
          return storage
        }
        update(storage, data: data, updateProperties: true, type: type)
        return storage
      }

      func update<Data>(
        _ storage: ViewStorage, data: WidgetData, updateProperties: Bool, type: Data.Type
      ) where Data: ViewRenderData {
        MainActor.assumeIsolated {
          guard updateProperties, let view = storage.fields["view"] as? StatusImageView,
            (storage.previousState as? Self)?.url != url
          else { return }
          view.view.alternativeText = name
          view.images.setImage(ImageRequest(url: url))
          storage.previousState = self
        }
      }
    }
  }

  /// Stand-ins for the types of SwiftCrossUI and its backend that the article uses.
  enum CrossRecipe {
    enum Gtk {
      @MainActor
      class Widget {
        let opaquePointer: OpaquePointer
        init(_ pointer: OpaquePointer) { opaquePointer = pointer }
      }
    }
    struct GtkWidgetRepresentableContext<Representable: GtkWidgetRepresentable> {
      let coordinator: Representable.Coordinator
    }
    protocol GtkWidgetRepresentable {
      associatedtype GtkWidgetType: Gtk.Widget
      associatedtype Coordinator = Void
      @MainActor func makeGtkWidget(context: GtkWidgetRepresentableContext<Self>) -> GtkWidgetType
      @MainActor func updateGtkWidget(
        _ gtkWidget: GtkWidgetType, context: GtkWidgetRepresentableContext<Self>)
      @MainActor func makeCoordinator() -> Coordinator
    }

    struct Photo: GtkWidgetRepresentable {
      var url: URL
      var name: String

      final class Coordinator {
        let view: ZoomView
        var url: URL?
        @MainActor init() { view = ZoomView() }
      }

      func makeCoordinator() -> Coordinator { Coordinator() }

      func makeGtkWidget(context: Context) -> Gtk.Widget {
        Gtk.Widget(OpaquePointer(context.coordinator.view.widget))
      }

      func updateGtkWidget(_ widget: Gtk.Widget, context: Context) {
        let coordinator = context.coordinator
        guard coordinator.url != url else { return }
        coordinator.url = url
        coordinator.view.alternativeText = name
        coordinator.view.setImage(ImageRequest(url: url))
      }
    }
  }

  @MainActor
  func grid(_ files: [URL], pipeline: ImagePipeline) -> ImageGrid {
    let list = ImageGridList(
      files.map { ImageGridItem(id: $0.lastPathComponent, request: ImageRequest(url: $0)) })
    let grid = ImageGrid(list, pipeline: pipeline)
    grid.cellSide = 128
    grid.showsNames = true
    grid.onActivate = { [weak grid] position in print("open", grid?.item(at: position)?.name ?? "") }
    grid.onSelection = { [weak grid] in print(grid?.selectedPositions.count ?? 0, "selected") }
    grid.onCell = { cell, item in
      let mark = cell.attachment as? Mark ?? Mark(cell)
      cell.attachment = mark
      mark.isShown = item.name.hasSuffix(".gif")
    }
    return grid
  }

  /// A sign over a cell, made once for each.
  @MainActor
  final class Mark {
    private let label: UnsafeMutablePointer<GtkWidget>

    init(_ cell: ImageGridCell) {
      label = gtk_label_new("GIF")
      gtk_widget_set_halign(label, GTK_ALIGN_END)
      gtk_widget_set_valign(label, GTK_ALIGN_START)
      gtk_overlay_add_overlay(OpaquePointer(cell.status.widget), label)
    }

    var isShown = true { didSet { gtk_widget_set_visible(label, isShown ? 1 : 0) } }
  }

  extension CrossRecipe.GtkWidgetRepresentable {
    typealias Context = CrossRecipe.GtkWidgetRepresentableContext<Self>
  }

  extension Drills {
    /// The samples of the article show their pictures, and are what stands there.
    func recipes() async throws {
      let checks = Checks()
      let folder = try PictureFolder(pictureCount: 2)
      defer { folder.remove() }
      let (first, second) = (folder.file("1.jpg"), folder.file("2.jpg"))

      let adwaita = AdwaitaRecipe.Photo(url: first, name: "One")
      let storage = adwaita.container(data: .init(), type: AdwaitaRecipe.MainView.self)
      if let pointer = storage.opaquePointer, let view = storage.fields["view"] as? StatusImageView {
        let window = Self.window(with: UnsafeMutablePointer<GtkWidget>(pointer))
        let screen = Screen(window)
        await checks.eventually("adwaita-swift: the picture is shown", screen) { view.images.picture != nil }
        let request = view.images.request?.key
        adwaita.update(storage, data: .init(), updateProperties: true, type: AdwaitaRecipe.MainView.self)
        checks.expect(view.images.request?.key == request, "an update with the same source changes nothing")
        AdwaitaRecipe.Photo(url: second, name: "Two")
          .update(storage, data: .init(), updateProperties: true, type: AdwaitaRecipe.MainView.self)
        checks.expect(
          view.images.request?.key == ImageRequest(url: second).key, "and one with another shows that")
        gtk_window_destroy(window)
      } else {
        checks.expect(false, "adwaita-swift: the storage has the widget and the view")
      }

      let photo = CrossRecipe.Photo(url: first, name: "One")
      let coordinator = photo.makeCoordinator()
      let context = CrossRecipe.Photo.Context(coordinator: coordinator)
      let widget = photo.makeGtkWidget(context: context)
      photo.updateGtkWidget(widget, context: context)
      let window = Self.window(with: UnsafeMutablePointer<GtkWidget>(widget.opaquePointer))
      let screen = Screen(window)
      await checks.eventually("SwiftCrossUI: the picture is shown", screen) {
        coordinator.view.images.picture != nil
      }
      gtk_window_destroy(window)
      checks.equal(try Self.strayLines(), [], "the lines of the article that are not compiled")
      output.add("recipes", checks, detail: "the widgets in other frameworks' hands")
    }

    /// The lines of the article's samples that do not stand in this file.
    private static func strayLines() throws -> [String] {
      func lines(_ path: String) throws -> [String] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
          .map { $0.trimmingCharacters(in: .whitespaces) }
      }
      let compiled = Set(try lines("Tests/Apps/Gallery/Recipes.swift"))
      var isInside = false
      return try lines("Documentation/gtk-recipes.md").filter { line in
        if line.hasPrefix("```") {
          isInside = line == "```swift"
          return false
        }
        return isInside && !compiled.contains(line)
      }
    }
  }
#endif
