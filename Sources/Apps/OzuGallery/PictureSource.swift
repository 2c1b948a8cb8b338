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

  /// Reads the command line: pictures, folders, a file of addresses, or `--demo`; nothing for a window that asks.
  ///
  /// - Throws: `Usage`.
  public init(arguments: [String]) throws(Usage) {
    if arguments == ["--demo"] {
      self = .demo(count: 10_000)
      return
    }
    for argument in arguments {
      guard !argument.hasPrefix("-") else {
        throw Usage(description: "usage: ozu-gallery [--demo | PICTURE… | FOLDER… | FILE-OF-ADDRESSES]")
      }
      guard FileManager.default.fileExists(atPath: argument) else {
        throw Usage(description: "there is no folder or file '\(argument)'")
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
    case .nothing: "Gallery"
    case .folder(let url), .list(let url): url.lastPathComponent
    case .file(let url): url.deletingLastPathComponent().lastPathComponent
    case .several: "Pictures"
    case .demo(let count): "\(count) drawn pictures"
    }
  }

  /// The name of the picture that is shown large at the start.
  public var first: String? {
    if case .file(let url) = self { url.lastPathComponent } else { nil }
  }

  /// The pictures, in order.
  ///
  /// - Throws: when the folder or the file cannot be read, or the server cannot be started.
  /// - Complexity: reads the folder. Do not call it on the main thread.
  public func items() throws -> [PictureItem] {
    switch self {
    case .nothing: return []
    case .demo(let count): return try DemoServer(count: count).items
    case .folder(let folder): return Self.items(try Self.pictures(in: folder))
    case .file(let file):
      var files = try Self.pictures(in: file.deletingLastPathComponent())
      if !files.contains(where: { $0.lastPathComponent == file.lastPathComponent }) {
        files.insert(file, at: 0)
      }
      return Self.items(files)
    case .several(let urls):
      return Self.items(try urls.flatMap { Self.isFolder($0) ? try Self.pictures(in: $0) : [$0] })
    case .list(let file):
      let lines = try String(contentsOf: file, encoding: .utf8).split(whereSeparator: \.isNewline)
      return lines.enumerated().compactMap { number, line in
        let text = line.trimmingCharacters(in: .whitespaces)
        guard !text.isEmpty, !text.hasPrefix("#"), let url = URL(webAddress: text) else { return nil }
        return PictureItem(name: "\(number + 1) \(url.lastPathComponent)", source: .url(url))
      }
    }
  }

  private static func pictures(in folder: URL) throws -> [URL] {
    try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter {
        ImageFormat.readEndings.contains($0.pathExtension.lowercased())
          && !$0.lastPathComponent.hasPrefix(".")
      }
      .sorted { $0.lastPathComponent.localizedStandardCompare($1.lastPathComponent) == .orderedAscending }
  }

  /// Files of the same name from several folders get a number.
  private static func items(_ files: [URL]) -> [PictureItem] {
    var counts: [String: Int] = [:]
    return files.map { file in
      let name = file.lastPathComponent
      let count = counts[name, default: 0] + 1
      counts[name] = count
      return PictureItem(name: count == 1 ? name : "\(name) (\(count))", source: .url(file))
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
