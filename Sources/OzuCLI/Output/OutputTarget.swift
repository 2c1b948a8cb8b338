import Foundation
import Ozu
import OzuSynchronization

/// Where `-o` puts the results: a file, standard output, a folder in which each result is named for its source, or names
/// that a template makes.
struct OutputTarget: Sendable {
  private enum Place {
    case file(OutputFile)
    case folder(String, OutputNames)
    case template(OutputTemplate, [OutputTemplate.Values])
  }

  /// What the name of a result may depend on.
  struct Result {
    let data: Data
    let type: ImageType
    let size: PixelSize
    /// Which of the results of its source it is.
    var part = 0
  }

  private let path: String
  private let place: Place
  /// The format of the results; `nil` when the picture decides.
  let format: ImageType?
  private let sources: SourceFiles
  private let claims = Claims()
  /// Where no result may go, because it would be lost.
  var trace: OutputFile?

  /// - Parameters:
  ///   - path: what `-o` says. A template when it has braces; a folder when it ends in a slash, when it is one, or for
  ///     several sources.
  ///   - format: what `--format` says; else the ending of the file decides, else the picture.
  ///   - isSeveral: whether the sources stand for any number, of which there happens to be one.
  ///   - files: what the results are made with beside the sources.
  ///   - overwritesSources: whether a result may take the place of its own source.
  ///   - allowsAnyEnding: whether the format may be another than the ending says.
  /// - Throws: also when a result could take the place of a source that is to stay, and when two have one name.
  init(
    path: String, format: FormatChoice, sources listed: [ListedSource], isSeveral: Bool = false,
    files: [ImageSource] = [], overwritesSources: Bool, allowsAnyEnding: Bool = false
  ) throws(UsageError) {
    var isDirectory: ObjCBool = false
    let isDash = path == OutputFile.standardOutput
    let exists = isDash || FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
    let sources = listed.map { SourceArgument.source($0.text) }
    self.path = path
    self.sources = SourceFiles(sources, others: files, mayBeOverwritten: overwritesSources)
    if OutputTemplate.isTemplate(path) {
      let template = try OutputTemplate(path)
      place = .template(template, Self.values(listed, sources))
      self.format = try Self.format(format, ending: template.ending, path, allowsAnyEnding)
      try refuseEqualNames(listed)
    } else if path.hasSuffix("/") || sources.count > 1 || isSeveral || isDirectory.boolValue {
      if exists && !isDirectory.boolValue {
        throw UsageError("-o \(path): this is a file; several results need a folder")
      }
      place = .folder(path, OutputNames(sources, folders: listed.map(\.folder)))
      self.format = try Self.format(format, ending: nil, path, allowsAnyEnding)
    } else {
      let file = OutputFile(path)
      place = .file(file)
      let ending = URL(fileURLWithPath: file.path).pathExtension
      self.format = try Self.format(format, ending: ending, path, allowsAnyEnding)
    }
    try refuseSources()
  }

  /// The place of several results of each source, which differ in width and format.
  ///
  /// - Throws: also for names that several results of one source would have.
  init(
    setIn path: String, types: [ImageType], hasSeveralWidths: Bool, sources listed: [ListedSource],
    files: [ImageSource], overwritesSources: Bool
  ) throws(UsageError) {
    let sources = listed.map { SourceArgument.source($0.text) }
    self.path = path
    self.sources = SourceFiles(sources, others: files, mayBeOverwritten: overwritesSources)
    let format: FormatChoice = types.count == 1 ? .type(types[0]) : .automatic
    if OutputTemplate.isTemplate(path) {
      let template = try OutputTemplate(path)
      if !template.has(.hash), hasSeveralWidths, !template.has(.width), !template.has(.height) {
        throw UsageError("-o \(path): several widths need {width} in their names")
      }
      if types.count > 1, !template.has(.ext) {
        throw UsageError("-o \(path): several formats need {ext} in their names")
      }
      place = .template(template, Self.values(listed, sources))
      self.format = try Self.format(format, ending: template.ending, path, false)
      try refuseEqualNames(listed)
    } else {
      var isDirectory: ObjCBool = false
      if path == OutputFile.standardOutput
        || FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && !isDirectory.boolValue
      {
        throw UsageError("-o \(path): several results need a folder")
      }
      let names = OutputNames(sources, folders: listed.map(\.folder), room: "-65535".utf8.count)
      let folder = path.hasSuffix("/") ? path : path + "/"
      place = .template(
        try OutputTemplate(folder + "{name}-{width}.{ext}"), names.stems.map { [.name: $0] })
      self.format = types.count == 1 ? types[0] : nil
    }
    try refuseSources()
  }

  /// The format that `--format` or an ending says; `nil` when the picture decides.
  private static func format(
    _ choice: FormatChoice, ending: String?, _ path: String, _ allowsAnyEnding: Bool
  ) throws(UsageError) -> ImageType? {
    let ending = ending?.lowercased() ?? ""
    let asked: ImageType? =
      switch choice {
      case .byName: try type(ofEnding: ending, path)
      case .automatic: nil
      case .type(let type): type
      }
    let name = asked?.rawValue ?? "auto"
    if choice != .byName, !allowsAnyEnding, let promised = OutputFormats.promisedType(ofEnding: ending),
      promised != asked
    {
      throw UsageError(
        "--format \(name): the name \(path) ends in .\(ending)", hint: "--force writes it all the same.")
    }
    return asked
  }

  private static func type(ofEnding ending: String, _ path: String) throws(UsageError) -> ImageType? {
    guard !ending.isEmpty else { return nil }
    guard let type = OutputFormats.type(ofEnding: ending) else {
      throw UsageError(
        "-o \(path): files ending in .\(ending) cannot be written",
        hint: "--format says \(OutputFormats.list).")
    }
    return type
  }

  /// What is known of the names before anything is loaded.
  private static func values(
    _ listed: [ListedSource], _ sources: [ImageSource]
  ) -> [OutputTemplate.Values] {
    let digits = "\(listed.count)".count
    return listed.indices.map { index in
      let number = "\(index + 1)"
      return [
        .name: OutputNames.baseName(of: sources[index]), .dir: listed[index].folder,
        .index: String(repeating: "0", count: digits - number.count) + number,
      ]
    }
  }

  /// The folder that the results of a value of `-o` go to; `nil` when that cannot be a folder.
  static func folder(_ path: String) throws(UsageError) -> String? {
    if path == OutputFile.standardOutput { return nil }
    return OutputTemplate.isTemplate(path) ? try OutputTemplate(path).folder : path
  }

  /// Whether a result is written to standard output, where reports would be in its way.
  var isStandardOutput: Bool {
    if case .file(let file) = place { file.isStandardOutput } else { false }
  }

  /// Whether a file is the one that the result is written to.
  func isSame(as other: OutputFile) -> Bool {
    guard case .file(let file) = place else { return false }
    if file.isStandardOutput { return other.isStandardOutput }
    return FileIdentity(file.path).map { $0 == FileIdentity(other.path) } ?? false
  }

  /// The formats that results may have.
  private var possibleTypes: [ImageType] { format.map { [$0] } ?? [.jpeg, .png] }

  /// The path of the result of a source, with the fields of a template for what is not known before it is loaded.
  ///
  /// - Parameters:
  ///   - type: that of the result, where it is known.
  ///   - width: that of the result, where it is known.
  func plannedPath(forSource index: Int, type: ImageType? = nil, width: Int? = nil) -> String {
    var values: OutputTemplate.Values = [:]
    if let type = type ?? format { values[.ext] = type.fileExtension }
    if let width { values[.width] = "\(width)" }
    return path(forSource: index, values)
  }

  private func path(forSource index: Int, _ late: OutputTemplate.Values) -> String {
    switch place {
    case .file(let file): return file.path
    case .folder(let folder, let names):
      let ending = late[.ext] ?? "{\(OutputTemplate.Field.ext.rawValue)}"
      return (folder.hasSuffix("/") ? folder : folder + "/") + "\(names.stems[index]).\(ending)"
    case .template(let template, let values):
      return template.path(values[index].merging(late) { _, late in late })
    }
  }

  // MARK: Names that must not be

  /// Throws for a result that could take the place of a source, whichever format it will have. Names that depend on
  /// more than the format are looked at when they are known.
  private func refuseSources() throws(UsageError) {
    if case .template(let template, _) = place,
      OutputTemplate.Field.allCases.contains(where: { $0.isOfResult && $0 != .ext && template.has($0) })
    {
      return
    }
    for index in sources.indices {
      for type in possibleTypes {
        let file = path(forSource: index, [.ext: type.fileExtension])
        guard let source = sources.source(lostBy: file, of: index) else { continue }
        throw UsageError(
          "-o \(path): \(file) would take the place of the source \(source)",
          hint: sources.mayBeOverwritten
            ? "With --overwrite-sources a result takes the place of its own source only."
            : "Name another folder or file, or give --overwrite-sources.")
      }
    }
  }

  /// Throws when a template gives two sources one name. Names with `{hash}` are equal for equal results alone.
  private func refuseEqualNames(_ listed: [ListedSource]) throws(UsageError) {
    guard case .template(let template, _) = place, !template.has(.hash) else { return }
    var owners: [String: String] = [:]
    for index in listed.indices {
      let name = OutputNames.folded(plannedPath(forSource: index))
      guard let other = owners.updateValue(listed[index].text, forKey: name) else { continue }
      throw UsageError(
        "-o \(path): the results of \(SourceArgument.shown(other)) and \(SourceArgument.shown(listed[index].text)) "
          + "would both be \(plannedPath(forSource: index))",
        hint: "{index} tells them apart, or {dir} the folders that they are in.")
    }
  }

  /// Which result each name that was written belongs to: fields beside each other can make one name of two. One lock
  /// guards it.
  private final class Claims: Sendable {
    private let owners = Mutex<[String: [Int]]>([:])

    /// Whether a result, told by its source and its number there, has a name for itself.
    func claim(_ name: String, for result: [Int]) -> Bool {
      owners.withLock { owners in
        if let owner = owners[name] { return owner == result }
        owners[name] = result
        return true
      }
    }
  }

  // MARK: Writing

  /// Writes a result. Blocks.
  ///
  /// - Returns: the path.
  func write(_ result: Result, forSource index: Int) throws(OutputError) -> String {
    var values: OutputTemplate.Values = [
      .ext: result.type.fileExtension, .width: "\(result.size.width)", .height: "\(result.size.height)",
    ]
    var isNamedForBytes = false
    if case .template(let template, _) = place, template.has(.hash) {
      values[.hash] = String(CacheKey(hashing: result.data).description.prefix(16))
      isNamedForBytes = true
    }
    let file = OutputFile(path(forSource: index, values))
    // Again: links and files may have been made since.
    if let source = sources.source(lostBy: file.path, of: index) {
      throw OutputError(file.path, reason: "it is the source \(source)")
    }
    if let trace, let identity = FileIdentity(trace.path), identity == FileIdentity(file.path) {
      throw OutputError(file.path, reason: "the trace goes there")
    }
    if !isNamedForBytes, !claims.claim(OutputNames.folded(file.path), for: [index, result.part]) {
      throw OutputError(file.path, reason: "another result has this name")
    }
    // A source cannot be made again, as a result can.
    try file.write(result.data, makesFolders: true, isDurable: sources.mayBeOverwritten)
    return file.path
  }
}
