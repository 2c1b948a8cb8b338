import Foundation
import Ozu
import OzuBase

/// A source of a command, named on the command line or found in a folder.
struct ListedSource: Sendable {
  /// The text as it was typed, or the path of a file in a folder that was named.
  let text: String
  /// The folder it was found in, relative to the one that was named, without slashes at its ends; empty otherwise.
  var folder = ""
  /// The name that a list gives it, for its result; `nil` for that of its address.
  var name: String?
  /// Its `{index}` and `{counter}`; `nil` for its place among the sources.
  var number: Int?

  var source: ImageSource { SourceArgument.source(text) }
}

/// Finds the pictures in the folders among the sources of a command.
///
/// Links to folders inside a folder are not followed, to avoid loops; a link that was named is. Names that begin with a
/// dot are skipped, as in the patterns of shells, and so is the folder for results. A file is a picture if its first bytes
/// say so, and in a search for damage also if its name does: of a damaged one nothing may be left.
struct SourceListing {
  private(set) var sources: [ListedSource] = []
  /// Whether one of the sources that were named is a folder.
  let hasFolders: Bool
  /// Folders that could not be read or have no picture; files that could not be read; pictures with unusable names.
  private(set) var problems: [SourceFailure] = []

  private let types: Set<ImageType>
  /// The endings of the files that count as pictures by their names.
  private var endings: Set<String> = []
  /// The folder for results.
  private let excluded: FolderIdentity?

  /// The sources of a command that writes results.
  ///
  /// - Parameters:
  ///   - output: the value of `-o`, or its default.
  ///   - isByName: whether a file in a folder is a picture also if only its name says so.
  init(
    _ arguments: ParsedArguments, output: String?, _ configuration: ImagePipeline.Configuration,
    _ console: Console, isByName: Bool = false
  ) async throws(UsageError) {
    try SourceArgument.checkStandardInput(arguments.positional)
    let list = try await SourceList.sources(arguments, console)
    let folder: String? = if let output { try OutputTarget.folder(output) } else { nil }
    try self.init(
      arguments.positional.map { ListedSource(text: $0) } + list,
      isRecursive: arguments.has(OptionSpecification.recursive.name), excluding: folder,
      types: configuration.readableTypes, isByName: isByName)
  }

  /// One file of a folder that is watched.
  init(fileOfFolder source: ListedSource) {
    (sources, hasFolders, types, excluded) = ([source], true, [], nil)
  }

  /// - Parameters:
  ///   - named: the sources as they were typed.
  ///   - isRecursive: whether folders are listed.
  ///   - output: the folder for results.
  ///   - types: the formats that count as pictures.
  init(
    _ named: [ListedSource], isRecursive: Bool, excluding output: String?, types: [ImageType],
    isByName: Bool = false
  ) throws(UsageError) {
    self.types = Set(types)
    if isByName { endings = Set(types.flatMap { ImageFormat.of($0).endings }) }
    let folders = named.filter { Self.folder($0.text) != nil }
    if !isRecursive, let first = folders.first {
      throw UsageError("\(first.text): this is a folder", hint: "-r takes the pictures in it and below it.")
    }
    hasFolders = !folders.isEmpty
    let identities = folders.compactMap { Self.folder($0.text).flatMap(FolderIdentity.init(path:)) }
    let identity = output.flatMap(FolderIdentity.init(path:))
    // A folder that is a source and also the folder for results is listed.
    excluded = identities.contains { $0 == identity } ? nil : identity
    for source in named {
      let text = source.text
      guard let folder = Self.folder(text) else {
        sources.append(source)
        continue
      }
      let (count, problemCount) = (sources.count, problems.count)
      // A name of its own, from a list, is that of a folder for its results.
      list(folder, source.name.map { (source.folder.isEmpty ? "" : source.folder + "/") + $0 } ?? "")
      if sources.count == count, problems.count == problemCount {
        fail(text, "there is no picture in this folder")
      }
    }
  }

  /// The path of a source that is a folder.
  private static func folder(_ text: String) -> String? {
    guard case .url(let url) = SourceArgument.source(text), url.isFileURL else { return nil }
    let path = url.path(percentEncoded: false)
    guard OutputFile.isFolder(path) else { return nil }
    // As it was typed, so that reports have the names of the command line.
    return text.lowercased().hasPrefix("file:") ? path : text
  }

  private mutating func list(_ path: String, _ folder: String) {
    let names: [FileName]
    do throws(SystemError) {
      names = try FileName.names(in: path)
    } catch {
      return fail(path, "this folder cannot be read: \(systemMessage(error.code))")
    }
    for name in names where !name.isHidden {
      let start = path.hasSuffix("/") ? path : path + "/"
      do throws(SystemError) {
        switch try Self.kind(of: name.path(in: start), types) {
        case .other: continue
        case .file where !endings.contains(name.ending): continue
        case .folder(let identity) where identity == excluded: continue
        case let kind:
          guard let text = name.text else {
            fail(start + name.shown, "its name is not UTF-8; rename it")
            continue
          }
          if case .folder = kind {
            list(start + text, folder.isEmpty ? text : folder + "/" + text)
          } else {
            sources.append(ListedSource(text: start + text, folder: folder))
          }
        }
      } catch {
        problems.append(Self.unreadable(start + name.shown, error))
      }
    }
  }

  /// Whether a path leads to a regular file that begins like a picture.
  static func isPicture(_ path: String, _ types: Set<ImageType>) -> Bool {
    if case .picture = try? kind(of: Array(path.utf8CString), types) { true } else { false }
  }

  /// Whether a path leads to such a file, or to one that cannot be opened or read.
  static func mayBePicture(_ path: [CChar], _ types: Set<ImageType>) -> Bool {
    do throws(SystemError) {
      if case .picture = try kind(of: path, types) { return true }
      return false
    } catch {
      return true
    }
  }

  /// The pictures among files that have come into a folder, and those that cannot be opened or read.
  static func pictures(
    among files: [ListedSource], _ types: Set<ImageType>
  ) -> (sources: [ListedSource], problems: [SourceFailure]) {
    var (sources, problems): ([ListedSource], [SourceFailure]) = ([], [])
    for file in files {
      do throws(SystemError) {
        if case .picture = try kind(of: Array(file.text.utf8CString), types) { sources.append(file) }
      } catch {
        problems.append(unreadable(file.text, error))
      }
    }
    return (sources, problems)
  }

  private static func unreadable(_ path: String, _ error: SystemError) -> SourceFailure {
    SourceFailure(path, reason: "the file cannot be read: \(systemMessage(error.code))")
  }

  private enum Kind {
    case folder(FolderIdentity)
    /// A regular file that begins like a picture, or a link to one.
    case picture
    /// Any other regular file, or a link to one.
    case file
    case other
  }

  /// - Throws: for a file that may be a picture and cannot be opened or read.
  private static func kind(of path: [CChar], _ types: Set<ImageType>) throws(SystemError) -> Kind {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      // Removed since the folder was read.
      if errno == ENOENT { return .other }
      throw SystemError(code: errno)
    }
    if status.st_mode & S_IFMT == S_IFDIR { return .folder(FolderIdentity(status)) }
    // Does not block: the file may have become a pipe.
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      let code = errno
      if stat(path, &status) == 0 {
        // Sockets, devices, pipes, links to folders.
        if status.st_mode & S_IFMT != S_IFREG { return .other }
      } else if [ENOENT, ENOTDIR, ELOOP].contains(errno) {
        // A link that leads nowhere.
        return .other
      }
      throw SystemError(code: code)
    }
    defer { close(descriptor) }
    guard fstat(descriptor, &status) == 0 else { throw SystemError(code: errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { return .other }
    var beginning = Data()
    try Self.append(ContentKind.prefixByteCount, from: descriptor, to: &beginning)
    // A document whose first element is not among these bytes.
    if ContentKind.isOpen(beginning) {
      try Self.append(
        ContentKind.longestPrologueByteCount - beginning.count, from: descriptor, to: &beginning)
    }
    guard case .image(let type) = ContentKind(sniffing: beginning) else { return .file }
    return types.contains(type) ? .picture : .file
  }

  /// Reads `count` bytes, or all that there are.
  private static func append(
    _ count: Int, from descriptor: Int32, to data: inout Data
  ) throws(SystemError) {
    var bytes = [UInt8](repeating: 0, count: count)
    let readCount = read(descriptor, &bytes, count)
    guard readCount >= 0 else { throw SystemError(code: errno) }
    data.append(contentsOf: bytes[..<readCount])
  }

  private mutating func fail(_ path: String, _ reason: String) {
    problems.append(SourceFailure(path, reason: reason))
  }
}

/// The identity of a folder, the same for all paths that lead to it.
struct FolderIdentity: Equatable, Sendable {
  private let device: UInt64
  private let number: UInt64

  init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    number = UInt64(status.st_ino)
  }

  /// `nil` if nothing is there.
  init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }
}

/// The name of an entry of a folder. Names are bytes; Foundation puts other characters in place of those that are not UTF-8,
/// and then there is no such file.
struct FileName {
  let bytes: [UInt8]

  /// The names in a folder, sorted by their bytes, without `.` and `..`.
  static func names(in folder: String) throws(SystemError) -> [FileName] {
    guard let stream = opendir(folder) else { throw SystemError(code: errno) }
    defer { closedir(stream) }
    var names: [FileName] = []
    while true {
      errno = 0
      guard let entry = readdir(stream) else { break }
      let bytes = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      if bytes != Array(".".utf8), bytes != Array("..".utf8) { names.append(FileName(bytes: bytes)) }
    }
    guard errno == 0 else { throw SystemError(code: errno) }
    return names.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
  }

  var isHidden: Bool { bytes.first == UInt8(ascii: ".") }

  /// What stands behind its last dot, in lower case; empty without a dot.
  var ending: String { shown.split(separator: ".").dropFirst().last?.lowercased() ?? "" }

  /// The name as a text; `nil` if it is not UTF-8.
  var text: String? { String(validating: bytes, as: UTF8.self) }

  /// The name for people: bytes that are no printable ASCII as `\xe9`, if it is not UTF-8.
  var shown: String {
    text
      ?? bytes.map { byte in
        (0x20..<0x7F).contains(byte)
          ? String(UnicodeScalar(byte)) : "\\x" + [byte].hexadecimal
      }.joined()
  }

  /// The path for system calls.
  ///
  /// - Parameter folder: the path of the folder, with a slash at its end.
  func path(in folder: String) -> [CChar] { (Array(folder.utf8) + bytes + [0]).map(CChar.init(bitPattern:)) }
}

/// The local files among the sources of a command, which its results must not overwrite.
struct SourceFiles: Sendable {
  /// Whether a result may replace its own source.
  let mayBeOverwritten: Bool
  let indices: Range<Int>
  /// For each file the name and the numbers of the sources that lead to it.
  private let owners: [FileIdentity: (name: String, indices: Set<Int>)]

  /// - Parameter others: files that steps read, such as watermarks; they may never be overwritten.
  init(_ sources: [ImageSource], others: [ImageSource] = [], mayBeOverwritten: Bool = false) {
    self.mayBeOverwritten = mayBeOverwritten
    indices = sources.indices
    var owners: [FileIdentity: (name: String, indices: Set<Int>)] = [:]
    for (index, source) in (sources + others).enumerated() {
      guard case .url(let url) = source, url.isFileURL else { continue }
      guard let identity = FileIdentity(url.path(percentEncoded: false)) else { continue }
      owners[identity, default: (source.name, [])].indices.insert(index)
    }
    self.owners = owners
  }

  /// The name of the source that would be lost when a file is written; `nil` if the file is not a source or may be replaced.
  ///
  /// - Parameter index: the source whose result is written; `nil` for a file that is not a result.
  func source(lostBy path: String, of index: Int? = nil) -> String? {
    guard !owners.isEmpty, let identity = FileIdentity(path), let owner = owners[identity] else {
      return nil
    }
    if mayBeOverwritten, let index, owner.indices == [index] { return nil }
    return owner.name
  }
}
