import Foundation
import Ozu
import OzuDemonstration

/// The source of the pictures of a gallery.
public enum PictureSource: Sendable, Equatable {
  /// Nothing yet: the window shows how to open something.
  case nothing
  /// The image files of a folder, by name.
  case folder(URL)
  /// The folder of a file, which is the first to be shown large.
  case file(URL)
  /// Files and folders, as they were dropped or chosen.
  case several([URL])
  /// The addresses in a text file, one a line.
  case list(URL)
  /// A server of our own that draws a number of pictures when they are requested.
  case demo(count: Int)

  /// An error in the command line.
  public struct Usage: Error, CustomStringConvertible {
    /// A line for people.
    public let description: String
  }

  /// Reads the command line: pictures, folders, a file of addresses, or `--demo`; nothing for a window that asks. Whether
  /// they are there is found out when they are opened.
  ///
  /// - Throws: `Usage` for an option that there is not.
  public init(arguments: [String]) throws(Usage) {
    if arguments == ["--demo"] {
      self = .demo(count: 10_000)
      return
    }
    for argument in arguments {
      guard !argument.hasPrefix("-") else {
        throw Usage(description: tr("there is no option '%1'; 'ozu-gallery --help' lists them", argument))
      }
    }
    self.init(opening: arguments.map { URL(filePath: $0) })
  }

  /// The source for files and folders that are opened together.
  public init(opening urls: [URL]) {
    guard let first = urls.first else {
      self = .nothing
      return
    }
    if urls.count > 1 {
      self = .several(urls)
    } else if Self.isFolder(first) {
      self = .folder(first)
    } else {
      self = first.pathExtension.lowercased() == "txt" ? .list(first) : .file(first)
    }
  }

  private static func isFolder(_ url: URL) -> Bool {
    var isFolder: ObjCBool = false
    let path = url.path(percentEncoded: false)
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
  }

  /// The title of the window.
  public var title: String {
    switch self {
    case .nothing: tr("Gallery")
    case .folder(let url), .list(let url): url.lastPathComponent
    case .file(let url): url.deletingLastPathComponent().lastPathComponent
    case .several: tr("Pictures")
    case .demo(let count): tr("%1 drawn pictures", "\(count)")
    }
  }

  /// The name of the picture that is shown large at the start.
  public var first: String? {
    if case .file(let url) = self { url.lastPathComponent } else { nil }
  }

  /// Whether its pictures are sorted: those of a list stay as they are.
  var isSorted: Bool {
    switch self {
    case .folder, .file, .several: true
    case .nothing, .list, .demo: false
    }
  }

  /// The folder of this source: the folder itself, or that of the file that is opened; `nil` for others.
  var folder: URL? {
    switch self {
    case .folder(let url): url
    case .file(let url): url.deletingLastPathComponent()
    default: nil
    }
  }

  /// The pictures, in the order of their names.
  ///
  /// - Throws: when the folder or the file cannot be read, or the server cannot be started.
  /// - Complexity: reads the folder. Do not call it on the main thread.
  public func items() throws -> [PictureItem] { try listing().pictures }

  /// The pictures and the folders.
  ///
  /// - Parameters:
  ///   - order: the order of the pictures of a folder and of those that are opened together; addresses stay in the order of
  ///     their list.
  ///   - isReversed: whether the order is turned round, also that of the folders.
  ///   - dates: what is known of when pictures were taken.
  func listing(
    by order: PictureOrder = .name, isReversed: Bool = false, _ dates: CaptureDates = CaptureDates()
  ) throws -> Listing {
    switch self {
    case .nothing: return Listing()
    case .demo(let count): return Listing(pictures: try DemoServer(count: count).items)
    case .list(let file): return Listing(pictures: try Self.addresses(in: file))
    case .folder(let folder):
      return try Self.read(folder, order, isReversed, dates)
    case .file(let file):
      guard let stamp = PictureStamp(file) else { throw POSIXError(.ENOENT) }
      var listing = try Self.read(file.deletingLastPathComponent(), order, isReversed, dates)
      // A file may be shown whose name does not tell that it is a picture.
      if !listing.pictures.contains(where: { $0.name == file.lastPathComponent }) {
        var item = PictureItem(name: file.lastPathComponent, source: .url(file))
        item.stamp = stamp
        listing.pictures.insert(item, at: 0)
      }
      return listing
    case .several(let urls):
      var items = try urls.flatMap { url in
        if Self.isFolder(url) { return try FolderListing(url).listing(of: url).pictures }
        var item = PictureItem(name: url.lastPathComponent, source: .url(url))
        item.stamp = PictureStamp(url)
        item.rating = Sidecar.rating(Sidecar.file(of: url))
        return [item]
      }
      if order == .date { _ = dates.fill(&items) }
      // Files and folders were chosen in an order; it is kept until the user asks for another.
      let sorted = order == .name && !isReversed ? items : order.sorted(items, isReversed: isReversed)
      return Listing(pictures: Self.numbered(sorted))
    }
  }

  private static func read(
    _ folder: URL, _ order: PictureOrder, _ isReversed: Bool, _ dates: CaptureDates
  ) throws -> Listing {
    var listing = try FolderListing(folder).listing(of: folder)
    if order == .date { _ = dates.fill(&listing.pictures) }
    listing.pictures = order.sorted(listing.pictures, isReversed: isReversed)
    listing.folders = PictureOrder.name.sorted(listing.folders, isReversed: isReversed && order == .name)
    return listing
  }

  private static func addresses(in file: URL) throws -> [PictureItem] {
    let lines = try String(contentsOf: file, encoding: .utf8).split(whereSeparator: \.isNewline)
    return lines.enumerated().compactMap { number, line in
      let text = line.trimmingCharacters(in: .whitespaces)
      guard !text.isEmpty, !text.hasPrefix("#"), let url = URL(webAddress: text) else { return nil }
      return PictureItem(name: "\(number + 1) \(url.lastPathComponent)", source: .url(url))
    }
  }

  /// Files of the same name from several folders get a number.
  private static func numbered(_ items: [PictureItem]) -> [PictureItem] {
    var counts: [String: Int] = [:]
    return items.map { item in
      let count = counts[item.name, default: 0] + 1
      counts[item.name] = count
      if count == 1 { return item }
      var other = PictureItem(name: "\(item.name) (\(count))", source: item.source)
      (other.stamp, other.rating) = (item.stamp, item.rating)
      return other
    }
  }
}

/// A server on this machine that draws numbered pictures when they are asked for.
public final class DemoServer: Sendable {
  /// The pictures.
  public let items: [PictureItem]
  private let server: LoopbackServer

  /// Starts the server.
  ///
  /// - Parameters:
  ///   - count: how many pictures there are.
  ///   - answer: makes the answer for a picture; by default the picture.
  /// - Throws: when the system gives no socket.
  public init(
    count: Int, answer: @escaping @Sendable (NumberedPicture) -> LoopbackResponse = DemoServer.picture
  ) throws {
    let server = try LoopbackServer()
    self.server = server
    items = (0..<count).map { number in
      PictureItem(name: Self.name(number), source: .url(server.url("/\(number).jpg")))
    }
    server.routeRest { request in
      guard let number = Int(request.path.dropFirst().prefix { $0 != "." }),
        NumberedPicture.numbers.contains(number)
      else { return .status(404) }
      return answer(NumberedPicture(number))
    }
    // The server must live as long as the program, which may load pictures until its end.
    _ = Unmanaged.passRetained(server)
  }

  /// Stops the server.
  public func stop() {
    server.stop()
  }

  /// The answer with the picture, fresh for an hour.
  @Sendable
  public static func picture(_ picture: NumberedPicture) -> LoopbackResponse {
    guard let data = try? picture.data() else { return .status(500) }
    return .ok(data, type: "image/jpeg").header("Cache-Control", "max-age=3600")
  }

  private static func name(_ number: Int) -> String { "Picture \(number)" }
}

enum PictureOrder: String, Codable, CaseIterable, Sendable {
  /// By the name as people sort it: 2 comes before 10.
  case name
  /// By the date of capture, the newest first; the date of the last change counts for a file that states none.
  case date
  /// By the size of the file, the largest first.
  case size

  /// The items in this order. Those that are equal in it are sorted by name.
  ///
  /// - Parameter isReversed: whether the order is turned round.
  func sorted(_ items: [PictureItem], isReversed: Bool = false) -> [PictureItem] {
    let ascending = items.sorted { a, b in
      switch self {
      case .name: break
      case .date:
        let (x, y) = (a.captured ?? a.stamp?.modified ?? 0, b.captured ?? b.stamp?.modified ?? 0)
        if x != y { return x > y }
      case .size:
        let (x, y) = (a.stamp?.byteCount ?? 0, b.stamp?.byteCount ?? 0)
        if x != y { return x > y }
      }
      return a.name.localizedStandardCompare(b.name) == .orderedAscending
    }
    return isReversed ? ascending.reversed() : ascending
  }
}
