#if GTK
  import CGTK
  import OzuGTK

  /// The folders and the pictures of a window as GTK's lists of names, of which a search leaves a part.
  ///
  /// Positions count pictures alone. GTK's own positions in the list of both count the folders before them, and are called
  /// places here.
  @MainActor
  final class PictureList {
    /// The list of the pictures that the search leaves.
    let pictures: OpaquePointer
    /// The folders that the search leaves, and after them the pictures.
    let both: OpaquePointer
    /// The folders and the pictures, by their keys.
    private var items: [String: PictureItem] = [:]
    /// The names of all pictures, in the order of the list.
    private var order: [String] = []
    private var folderOrder: [String] = []
    private let names: OpaquePointer = gtk_string_list_new(nil)
    private let folderNames: OpaquePointer = gtk_string_list_new(nil)
    private let folders: OpaquePointer
    private let filter: OpaquePointer

    /// Stands before the name of a folder in its key; no file has it in its name.
    private static let folderMark = "/"

    init() {
      let text = gtk_property_expression_new(gtk_string_object_get_type(), nil, "string")
      filter = gtk_string_filter_new(text)
      func filtering(_ list: OpaquePointer, _ filter: OpaquePointer) -> OpaquePointer {
        g_object_ref(ObjectPointer(filter))
        return gtk_filter_list_model_new(list, UnsafeMutablePointer(filter))
      }
      (pictures, folders) = (filtering(names, filter), filtering(folderNames, filter))
      let parts = g_list_store_new(g_list_model_get_type())!
      for part in [folders, pictures] { g_list_store_append(parts, ObjectPointer(part)) }
      both = gtk_flatten_list_model_new(parts)
    }

    isolated deinit {
      for object in [both, pictures, folders, filter] { g_object_unref(ObjectPointer(object)) }
    }

    // MARK: Reading

    /// The folder or the picture with a key.
    subscript(key: String) -> PictureItem? { items[key] }

    /// The number of pictures that the search leaves.
    var count: Int { Int(g_list_model_get_n_items(pictures)) }

    /// The number of folders that the search leaves.
    var folderCount: Int { Int(g_list_model_get_n_items(folders)) }

    /// The number of all pictures and folders, without regard to the search.
    var totalCount: Int { order.count + folderOrder.count }

    /// The picture at a position; `nil` before the first and after the last.
    func item(at position: Int) -> PictureItem? {
      position < 0 ? nil : key(at: position, of: pictures).flatMap { items[$0] }
    }

    /// The folder at a place; `nil` if a picture is there.
    func folder(atPlace place: Int) -> PictureItem? {
      place < 0 ? nil : key(at: place, of: folders).flatMap { items[$0] }
    }

    private func key(at index: Int, of list: OpaquePointer) -> String? {
      guard let object = g_list_model_get_item(list, guint(index)) else { return nil }
      defer { g_object_unref(object) }
      return gtk_string_object_get_string(OpaquePointer(object)).map { String(cString: $0) }
    }

    /// The position of a picture; `nil` when the list does not have it.
    func position(of name: String) -> Int? {
      if count == order.count { return order.firstIndex(of: name) }
      return (0..<count).first { item(at: $0)?.name == name }
    }

    // MARK: Changing

    /// Keeps only pictures and folders whose names contain a text; all for an empty one.
    func search(_ text: String) { gtk_string_filter_set_search(filter, text) }

    /// Replaces everything. What is the same at the beginning and at the end of the lists stays as it is.
    ///
    /// - Returns: the names of the pictures that were there before and have changed.
    func show(_ new: Listing) -> Set<String> {
      let (old, oldOrder, oldFolders) = (items, order, folderOrder)
      order = new.pictures.map(\.name)
      folderOrder = new.folders.map { Self.folderMark + $0.name }
      items = Dictionary(new.pictures.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
      for folder in new.folders { items[Self.folderMark + folder.name] = folder }
      splice(folderNames, from: oldFolders, to: folderOrder)
      splice(names, from: oldOrder, to: order)
      return Set(order.filter { name in old[name].map { $0 != items[name] } ?? false })
    }

    private func splice(_ list: OpaquePointer, from old: [String], to new: [String]) {
      guard old != new else { return }
      let shorter = min(old.count, new.count)
      let start = (0..<shorter).first { old[$0] != new[$0] } ?? shorter
      let rest = shorter - start
      let end = (0..<rest).first { old[old.count - 1 - $0] != new[new.count - 1 - $0] } ?? rest
      replace(list, start, old.count - start - end, Array(new[start..<new.count - end]))
    }

    /// Changes what is known about a picture.
    func change(_ name: String, _ change: (inout PictureItem) -> Void) {
      guard var item = items[name] else { return }
      change(&item)
      items[name] = item
    }

    /// Removes a picture.
    ///
    /// - Returns: its position among all pictures, for `insert`; `nil` when the list does not have it.
    func remove(_ name: String) -> Int? {
      guard let index = order.firstIndex(of: name) else { return nil }
      order.remove(at: index)
      replace(names, index, 1, [])
      return index
    }

    /// Puts a picture back where it was.
    func insert(_ item: PictureItem, at index: Int) {
      guard !order.contains(item.name) else { return }
      items[item.name] = item
      let index = min(index, order.count)
      order.insert(item.name, at: index)
      replace(names, index, 0, [item.name])
    }

    private func replace(_ list: OpaquePointer, _ index: Int, _ count: Int, _ names: [String]) {
      var pointers: [UnsafePointer<CChar>?] = names.map { UnsafePointer(strdup($0)) } + [nil]
      gtk_string_list_splice(list, guint(index), guint(count), &pointers)
      for pointer in pointers { free(UnsafeMutablePointer(mutating: pointer)) }
    }
  }
#endif
