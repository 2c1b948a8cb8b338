#if GTK
  import CGTK
  import OzuGTK

  /// The folders and the pictures of a window as GTK's lists of names, of which a search leaves a part.
  ///
  /// Positions count pictures alone. GTK's own positions in the list of both count the folders before them, and are called
  /// places here.
  @MainActor
  final class PictureList {
    /// The folders that the search leaves, and after them the pictures.
    let both: OpaquePointer
    /// The folders and the pictures, by their keys.
    private var items: [String: PictureItem] = [:]
    private let names = ImageGridList()
    private let folderNames = ImageGridList()

    /// Stands before the name of a folder in its key; no file has it in its name.
    private static let folderMark = "/"

    init() {
      let parts = g_list_store_new(g_list_model_get_type())!
      for part in [folderNames.model, names.model] { g_list_store_append(parts, ObjectPointer(part)) }
      both = gtk_flatten_list_model_new(parts)
    }

    isolated deinit { g_object_unref(ObjectPointer(both)) }

    // MARK: Reading

    /// The list of the pictures that the search leaves.
    var pictures: OpaquePointer { names.model }

    subscript(key: String) -> PictureItem? { items[key] }

    /// The number of pictures that the search leaves.
    var count: Int { names.count }

    /// The number of folders that the search leaves.
    var folderCount: Int { folderNames.count }

    /// The number of all pictures and folders, without regard to the search.
    var totalCount: Int { names.ids.count + folderNames.ids.count }

    /// The picture at a position; `nil` before the first and after the last.
    func item(at position: Int) -> PictureItem? { names.id(at: position).flatMap { items[$0] } }

    /// The folder at a place; `nil` if a picture is there.
    func folder(atPlace place: Int) -> PictureItem? { folderNames.id(at: place).flatMap { items[$0] } }

    /// The position of a picture; `nil` when the list does not have it.
    func position(of name: String) -> Int? { names.position(of: name) }

    // MARK: Changing

    /// Keeps only pictures and folders whose names contain a text; all for an empty one.
    func search(_ text: String) {
      names.search(text)
      folderNames.search(text)
    }

    /// Replaces everything. What is the same at the beginning and at the end of the lists stays as it is.
    ///
    /// - Returns: the names of the pictures that were there before and have changed.
    func show(_ new: Listing) -> Set<String> {
      let old = items
      let (order, folderOrder) = (new.pictures.map(\.name), new.folders.map { Self.folderMark + $0.name })
      items = Dictionary(new.pictures.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
      for folder in new.folders { items[Self.folderMark + folder.name] = folder }
      folderNames.show(ids: folderOrder)
      names.show(ids: order)
      return Set(order.filter { name in old[name].map { $0 != items[name] } ?? false })
    }

    func change(_ name: String, _ change: (inout PictureItem) -> Void) {
      guard var item = items[name] else { return }
      change(&item)
      items[name] = item
    }

    /// Removes a picture.
    ///
    /// - Returns: its position among all pictures, for `insert`; `nil` when the list does not have it.
    func remove(_ name: String) -> Int? { names.remove(name) }

    /// Puts a picture back where it was.
    func insert(_ item: PictureItem, at index: Int) {
      items[item.name] = item
      names.insert(id: item.name, at: index)
    }
  }
#endif
