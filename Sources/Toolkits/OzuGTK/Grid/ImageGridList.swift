#if GTK
  import CGTK
  import Ozu

  /// A cell of an `ImageGrid`: a picture, or something without a picture, such as a folder.
  public struct ImageGridItem: Sendable {
    /// The identity of the item in its grid, such as the path of a file.
    public var id: String
    /// The request for its picture. The grid adds the size and the mode of its cells, unless the request has its own. `nil` for an
    /// item without a picture, whose cell the app fills (`ImageGrid.onCell`).
    public var request: ImageRequest?
    /// What a screen reader says, and what stands below the picture if the grid shows names.
    public var name: String

    /// Makes an item.
    ///
    /// - Parameter name: the identity if there is none.
    public init(id: String, request: ImageRequest?, name: String? = nil) {
      (self.id, self.request, self.name) = (id, request, name ?? id)
    }
  }

  /// The items of an `ImageGrid`, as a list of GTK with the identities of those that a search leaves.
  ///
  /// Items that stay when others come and go keep their cells and their selection.
  @MainActor
  public final class ImageGridList {
    /// A `GListModel` of `GtkStringObject` with the identities of the items that the search leaves.
    public let model: OpaquePointer
    private let all: OpaquePointer = gtk_string_list_new(nil)
    private let filter: OpaquePointer
    private var byID: [String: ImageGridItem] = [:]
    /// The identities of all items, in their order.
    public private(set) var ids: [String] = []

    /// Makes a list.
    public init(_ items: [ImageGridItem] = []) {
      let text = gtk_property_expression_new(gtk_string_object_get_type(), nil, "string")
      filter = gtk_string_filter_new(text)
      g_object_ref(ObjectPointer(filter))
      model = gtk_filter_list_model_new(all, UnsafeMutablePointer(filter))
      show(items)
    }

    isolated deinit {
      for object in [model, filter] { g_object_unref(ObjectPointer(object)) }
    }

    // MARK: Reading

    /// The number of items that the search leaves.
    public var count: Int { Int(g_list_model_get_n_items(model)) }

    /// The item with an identity.
    public subscript(id: String) -> ImageGridItem? { byID[id] }

    /// The identity at a position of those that the search leaves; `nil` before the first and after the last.
    public func id(at position: Int) -> String? {
      Self.id(at: position, of: model)
    }

    /// The position of an item among those that the search leaves.
    public func position(of id: String) -> Int? {
      if count == ids.count { return ids.firstIndex(of: id) }
      return (0..<count).first { self.id(at: $0) == id }
    }

    static func id(at index: Int, of list: OpaquePointer) -> String? {
      guard let index = guint(exactly: index), let object = g_list_model_get_item(list, index)
      else { return nil }
      defer { g_object_unref(object) }
      return gtk_string_object_get_string(OpaquePointer(object)).map { String(cString: $0) }
    }

    // MARK: Changing

    /// Keeps only the items whose identities contain a text; all for an empty one.
    public func search(_ text: String) { gtk_string_filter_set_search(filter, text) }

    /// Replaces all items. What is the same at the beginning and at the end of the lists stays as it is. Of items with the same
    /// identity the first counts.
    public func show(_ items: [ImageGridItem]) {
      byID = Dictionary(items.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
      var seen: Set<String> = []
      show(ids: items.map(\.id).filter { seen.insert($0).inserted })
    }

    /// The same for items that somebody else keeps.
    package func show(ids new: [String]) {
      let old = ids
      ids = new
      guard old != new else { return }
      let shorter = min(old.count, new.count)
      let start = (0..<shorter).first { old[$0] != new[$0] } ?? shorter
      let rest = shorter - start
      let end = (0..<rest).first { old[old.count - 1 - $0] != new[new.count - 1 - $0] } ?? rest
      replace(start, old.count - start - end, Array(new[start..<new.count - end]))
    }

    /// Puts an item into the list; nothing happens if it is there.
    public func insert(_ item: ImageGridItem, at index: Int) {
      guard insert(id: item.id, at: index) else { return }
      byID[item.id] = item
    }

    /// The same for an item that somebody else keeps.
    @discardableResult
    package func insert(id: String, at index: Int) -> Bool {
      guard !ids.contains(id) else { return false }
      let index = min(max(index, 0), ids.count)
      ids.insert(id, at: index)
      replace(index, 0, [id])
      return true
    }

    /// Removes an item.
    ///
    /// - Returns: its index among all items; `nil` if the list does not have it.
    @discardableResult
    public func remove(_ id: String) -> Int? {
      guard let index = ids.firstIndex(of: id) else { return nil }
      ids.remove(at: index)
      byID[id] = nil
      replace(index, 1, [])
      return index
    }

    private func replace(_ index: Int, _ count: Int, _ ids: [String]) {
      var pointers: [UnsafePointer<CChar>?] = ids.map { UnsafePointer(strdup($0)) } + [nil]
      gtk_string_list_splice(all, guint(index), guint(count), &pointers)
      for pointer in pointers { free(UnsafeMutablePointer(mutating: pointer)) }
    }
  }
#endif
