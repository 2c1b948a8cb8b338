import Foundation
import Ozu
import OzuBase

/// The place that `-o` names for the results: a file, standard output, a folder in which each result is named for its
/// source, or a template. With `--in-place` the files of the sources.
struct OutputTarget: Sendable {
  enum Destination {
    case file(OutputFile)
    /// A template, or a folder, whose template has no braces in the value of `-o`.
    case template(OutputTemplate, [OutputTemplate.Values])
    /// The files of the sources.
    case sources([String])
  }

  /// A result: its bytes and the facts that its name may have.
  struct Result {
    let data: Data
    let type: ImageType
    let size: PixelSize
    /// What the camera wrote into the source.
    var metadata: PictureMetadata?
    /// Its number among the results of its source.
    var part = 0
    /// Its `{index}` and `{counter}` instead of those of its source: the number of a frame, and how many there are.
    var frame: (number: Int, count: Int)?
  }

  let path: String
  let destination: Destination
  /// The format of the results; `nil` when the picture decides.
  let format: ImageType?
  let keepsFormat: Bool
  let sources: SourceFiles
  /// Whether the files of results get the times of their sources.
  var keepsTimes = false
  /// Whether a result is refused whose name has the ending of another format: its own follows from the source, and is known late.
  var refusesOtherEndings = false
  private let listed: [ListedSource]
  private let hasOverwriting: Bool
  /// The names of its results, each a source and its part: adjacent fields can give two of them one name.
  private let claims = NameClaims()
  /// The names of the results of several targets, by their sources; `nil` for one target.
  var sharedClaims: NameClaims?
  /// The file of `--trace`. It would overwrite a result with its path.
  var trace: OutputFile?

  /// - Parameters:
  ///   - path: the value of `-o`. A template when it has braces; a folder when it ends in a slash, when it is one, or for
  ///     several sources.
  ///   - format: the value of `--format`; else the ending of the file decides, else the picture.
  ///   - isSeveral: whether `-o` names a folder even for one source, because a folder could have had more.
  ///   - files: files that steps read, such as watermarks.
  ///   - overwritesSources: whether a result may replace its own source; `nil` for commands that have no option for it.
  ///   - allowsAnyEnding: whether the format may differ from the ending.
  /// - Throws: also when a result could replace a source, and when two results have one name.
  init(
    path: String, format: FormatChoice, sources listed: [ListedSource], isSeveral: Bool = false,
    files: [ImageSource] = [], overwritesSources: Bool?, allowsAnyEnding: Bool = false
  ) throws(UsageError) {
    try Self.refuseAddress(path)
    self.path = path
    self.listed = listed
    keepsFormat = format == .keep
    refusesOtherEndings = format == .keep && !allowsAnyEnding
    sources = SourceFiles(listed.map(\.source), others: files, mayBeOverwritten: overwritesSources ?? false)
    hasOverwriting = overwritesSources != nil
    if OutputTemplate.isTemplate(path) {
      let template = try OutputTemplate(path)
      destination = .template(template, Self.values(listed))
      self.format = try Self.format(format, ending: template.ending, path, allowsAnyEnding)
    } else if path.hasSuffix("/") || listed.count > 1 || isSeveral || OutputFile.isFolder(path) {
      destination = try Self.folder(path, OutputNames(listed), "{name}.{ext}")
      self.format = try Self.format(format, ending: nil, path, allowsAnyEnding)
    } else {
      let file = OutputFile(path)
      destination = .file(file)
      let ending = URL(fileURLWithPath: file.path).pathExtension
      let own = listed.first.map { OutputNames.ending(of: $0.source) } ?? ""
      let isOwn =
        format == .keep
        && OutputFormats.promisedType(ofEnding: ending) == OutputFormats.promisedType(ofEnding: own)
      self.format = try Self.format(format, ending: ending, path, allowsAnyEnding || isOwn)
    }
    try refuseEqualNames()
    try refuseSources()
  }

  /// The files of the sources, each of which its result replaces.
  ///
  /// - Throws: for a source that is no file, and for a file that is named twice.
  init(inPlace listed: [ListedSource], files: [ImageSource]) throws(UsageError) {
    self.listed = listed
    path = "--in-place"
    format = nil
    keepsFormat = true
    sources = SourceFiles(listed.map(\.source), others: files, mayBeOverwritten: true)
    hasOverwriting = true
    for source in listed where !SourceArgument.isFile(source.text) {
      throw UsageError(
        "\(SourceArgument.shown(source.text)): only files of this machine can be replaced in place")
    }
    destination = .sources(listed.map { SourceArgument.path(ofFile: $0.text) })
    for (index, source) in listed.enumerated() {
      guard sources.source(lostBy: path(forSource: index, [:]), of: index) != nil else { continue }
      let identity = FileIdentity(path(forSource: index, [:]))
      let other = listed.indices.first { $0 != index && FileIdentity(path(forSource: $0, [:])) == identity }
      throw UsageError(
        "\(source.text): this file is named twice, or a step reads it",
        hint: other.map { "\(PrintableText.name(listed[$0].text)) is the same file." })
    }
  }

  /// The place of several results of each source, which differ in width and format.
  ///
  /// - Throws: also when several results of one source would have one name.
  init(
    setIn path: String, types: [ImageType], hasSeveralWidths: Bool, sources listed: [ListedSource],
    files: [ImageSource], overwritesSources: Bool
  ) throws(UsageError) {
    try Self.refuseAddress(path)
    self.path = path
    self.listed = listed
    keepsFormat = false
    sources = SourceFiles(listed.map(\.source), others: files, mayBeOverwritten: overwritesSources)
    hasOverwriting = true
    let format: FormatChoice = types.count == 1 ? .type(types[0]) : .automatic
    if OutputTemplate.isTemplate(path) {
      let template = try OutputTemplate(path)
      if !template.has(.hash), hasSeveralWidths, !template.has(.width), !template.has(.height) {
        throw UsageError("-o \(path): several widths need {width} in their names")
      }
      if types.count > 1, !template.has(.ext) {
        throw UsageError("-o \(path): several formats need {ext} in their names")
      }
      destination = .template(template, Self.values(listed))
      self.format = try Self.format(format, ending: template.ending, path, false)
    } else {
      let names = OutputNames(listed, room: "-65535".utf8.count)
      destination = try Self.folder(path, names, "{name}-{width}.{ext}")
      self.format = types.count == 1 ? types[0] : nil
    }
    try refuseEqualNames()
    try refuseSources()
  }

  /// A folder, in which each result is named for its source.
  ///
  /// - Throws: for a file, and for the name of a picture: with a slash at its end it is a folder.
  private static func folder(
    _ path: String, _ names: OutputNames, _ form: String
  ) throws(UsageError) -> Destination {
    if !OutputFile.isFolder(path) {
      if path == OutputFile.standardOutput || access(path, F_OK) == 0 {
        throw UsageError("-o \(path): this is a file; several results need a folder")
      }
      let ending = URL(fileURLWithPath: path).pathExtension
      if !path.hasSuffix("/"), OutputFormats.promisedType(ofEnding: ending) != nil {
        throw UsageError(
          "-o \(path): several results need a folder", hint: "-o \(path)/ makes a folder of that name.")
      }
    }
    let template = try OutputTemplate((path.hasSuffix("/") ? path : path + "/") + form)
    return .template(template, names.stems.map { [.name: $0] })
  }

  /// Throws for an address of the web: nothing is written there, and a folder called `https:` is never meant.
  private static func refuseAddress(_ path: String) throws(UsageError) {
    let start = path.lowercased()
    guard start.hasPrefix("http://") || start.hasPrefix("https://") else { return }
    throw UsageError("-o \(SourceArgument.shown(path)): results are written into files, not to addresses")
  }

  /// The format by `--format` or an ending; `nil` when the picture decides.
  private static func format(
    _ choice: FormatChoice, ending: String?, _ path: String, _ allowsAnyEnding: Bool
  ) throws(UsageError) -> ImageType? {
    let ending = ending ?? ""
    if choice == .byName {
      guard !ending.isEmpty else { return nil }
      guard let type = OutputFormats.type(ofEnding: ending) else {
        throw UsageError(
          "-o \(path): files ending in .\(ending) cannot be written",
          hint: "--format names the format: \(OutputFormats.list).")
      }
      return type
    }
    let asked: ImageType? = if case .type(let type) = choice { type } else { nil }
    if !allowsAnyEnding, let promised = OutputFormats.promisedType(ofEnding: ending), promised != asked {
      let name = asked?.rawValue ?? (choice == .keep ? "keep" : "auto")
      throw UsageError(
        "--format \(name): the name \(path) ends in .\(ending)", hint: "--force writes it with that name.")
    }
    return asked
  }

  /// The values of the fields that are known before anything is loaded.
  private static func values(_ listed: [ListedSource]) -> [OutputTemplate.Values] {
    listed.indices.map { index in
      [
        .name: OutputNames.baseName(of: listed[index]), .dir: listed[index].folder,
        .sourceExt: OutputNames.ending(of: listed[index].source),
        .index: listed[index].number.map(String.init) ?? OutputNames.index(index + 1, of: listed.count),
        .counter: "\(listed[index].number ?? index + 1)",
      ]
    }
  }

  /// The folder for the results of a value of `-o`; `nil` for standard output.
  static func folder(_ path: String) throws(UsageError) -> String? {
    if path == OutputFile.standardOutput { return nil }
    return OutputTemplate.isTemplate(path) ? try OutputTemplate(path).folder : path
  }

  /// Whether the result is written to standard output, so that reports must go to standard error.
  var isStandardOutput: Bool {
    if case .file(let file) = destination { file.isStandardOutput } else { false }
  }

  /// Whether a file is the one that the result is written to.
  func isSame(as other: OutputFile) -> Bool {
    guard case .file(let file) = destination else { return false }
    if file.isStandardOutput { return other.isStandardOutput }
    return FileIdentity(file.path).map { $0 == FileIdentity(other.path) } ?? false
  }

  /// The ending of a result; `nil` when the picture decides. With the format of the source it is the source's own ending, as it
  /// is spelled there, if that is one of the format.
  ///
  /// - Parameter type: the type of the result, if it is known.
  private func ending(forSource index: Int, _ type: ImageType?) -> String? {
    guard keepsFormat else { return (type ?? format)?.fileExtension }
    let own = OutputNames.ending(of: listed[index].source)
    let promised = OutputFormats.type(ofEnding: own)
    return promised != nil && promised == type ?? promised ? own : type?.fileExtension
  }

  /// The path of the result of a source before it is loaded. Unknown values stay fields of the template.
  ///
  /// - Parameters:
  ///   - type: the type of the result, if it is known.
  ///   - width: the width of the result, if it is known.
  func plannedPath(forSource index: Int, type: ImageType? = nil, width: Int? = nil) -> String {
    var values: OutputTemplate.Values = [:]
    values[.ext] = ending(forSource: index, type)
    if let width { values[.width] = "\(width)" }
    return path(forSource: index, values)
  }

  func path(forSource index: Int, _ late: OutputTemplate.Values) -> String {
    switch destination {
    case .file(let file): return file.path
    case .sources(let paths): return paths[index]
    case .template(let template, let values):
      return template.path(values[index].merging(late) { _, late in late })
    }
  }

  /// Writes a result. Blocks.
  ///
  /// - Returns: the path.
  func write(_ result: Result, forSource index: Int) throws(OutputError) -> String {
    let file = OutputFile(path(of: result, forSource: index))
    // Checked again: links and files may have been made since.
    if let source = sources.source(lostBy: file.path, of: index) {
      throw OutputError(file.path, reason: "it is the source \(source)")
    }
    if refusesOtherEndings { try refuseEnding(of: file.path, result.type) }
    if let trace, let identity = FileIdentity(trace.path), identity == FileIdentity(file.path) {
      throw OutputError(file.path, reason: "the trace goes there")
    }
    if !isNamedForBytes {
      let name = OutputNames.folded(file.path)
      let isFree = sharedClaims?.claim(name, for: listed[index].text) ?? true
      guard isFree, claims.claim(name, for: "\(index) \(result.part)") else {
        throw OutputError(file.path, reason: "another result has this name")
      }
    }
    // A source that is replaced cannot be made again, so the result must be on the device first.
    let times = keepsTimes ? FileTimes(ofFile: listed[index].text) : nil
    try file.write(result.data, makesFolders: true, isDurable: sources.mayBeOverwritten, times: times)
    return file.path
  }

  /// Throws for the name of another format, if its ending was given.
  private func refuseEnding(of path: String, _ type: ImageType) throws(OutputError) {
    switch destination {
    case .file: break
    case .template(let template, _) where template.ending != nil: break
    case .template, .sources: return
    }
    guard let ending = OutputFormats.otherEnding(of: path, than: type) else { return }
    throw OutputError(path, reason: "it is \(type.displayName), and the name ends in .\(ending)")
  }

  /// Whether names are made from the bytes of results: equal names are equal results then.
  private var isNamedForBytes: Bool {
    if case .template(let template, _) = destination { template.has(.hash) } else { false }
  }

  /// Whether names have facts of the picture: its size, or what the camera wrote.
  var namesPicture: Bool {
    guard case .template(let template, _) = destination else { return false }
    return [OutputTemplate.Field.width, .height, .date, .camera].contains(where: template.has)
  }

  func path(of result: Result, forSource index: Int) -> String {
    var values: OutputTemplate.Values = [
      .ext: ending(forSource: index, result.type) ?? "", .width: "\(result.size.width)",
      .height: "\(result.size.height)", .date: result.metadata?.captureDate ?? "",
      .camera: OutputNames.harmless(result.metadata?.camera ?? "unknown"),
    ]
    if let frame = result.frame {
      values[.index] = OutputNames.index(frame.number, of: frame.count)
      values[.counter] = "\(frame.number)"
    }
    if isNamedForBytes { values[.hash] = String(CacheKey(hashing: result.data).description.prefix(16)) }
    return path(forSource: index, values)
  }
}

extension OutputTarget {
  /// Throws if a result could replace a source, in any format that it may have. Names that depend on more than the format
  /// are checked when they are known.
  func refuseSources() throws(UsageError) {
    if case .template(let template, _) = destination,
      OutputTemplate.Field.allCases.contains(where: { $0.isOfResult && $0 != .ext && template.has($0) })
    {
      return
    }
    // Without a format the picture decides; `nil` is the format of the source.
    let types: [ImageType?] = format.map { [$0] } ?? (keepsFormat ? [nil] : [.jpeg, .png])
    for index in sources.indices {
      for path in types.map({ plannedPath(forSource: index, type: $0) }) {
        guard let source = sources.source(lostBy: path, of: index) else { continue }
        throw UsageError(
          "-o \(self.path): \(path) would replace the source \(source)",
          hint: sources.mayBeOverwritten
            ? "With --overwrite-sources a result replaces only its own source."
            : "Name another folder or file\(hasOverwriting ? ", or give --overwrite-sources" : "").")
      }
    }
  }

  /// Throws for a folder, in which the result would get the name of a source.
  ///
  /// - Parameter name: the name of a file, for the hint.
  func refuseFolder(suggesting name: String) throws(UsageError) {
    guard case .template = destination, !OutputTemplate.isTemplate(path) else { return }
    throw UsageError(
      "-o \(path): this names a folder; the name of a file must follow",
      hint: "For example: -o \(path.hasSuffix("/") ? path : path + "/")\(name)")
  }

  /// Throws when two sources would get one name. Names with `{hash}` are equal only for equal results.
  func refuseEqualNames() throws(UsageError) {
    if isNamedForBytes { return }
    var owners: [String: Int] = [:]
    for index in listed.indices {
      for name in possibleNames(forSource: index) {
        guard let other = owners.updateValue(index, forKey: OutputNames.folded(name)), other != index
        else { continue }
        throw UsageError(
          "-o \(path): the results of \(SourceArgument.shown(listed[other].text)) and "
            + "\(SourceArgument.shown(listed[index].text)) would both be \(name)",
          hint: hint(listed[other], listed[index]))
      }
    }
  }

  /// The names that the result of a source may have. With the format of the source, one that cannot be written becomes JPEG or PNG,
  /// which may be that of a neighbour.
  private func possibleNames(forSource index: Int) -> [String] {
    guard keepsFormat, ending(forSource: index, nil) == nil else { return [plannedPath(forSource: index)] }
    return [ImageType.jpeg, .png].map { plannedPath(forSource: index, type: $0) }
  }

  /// The field that tells two sources apart.
  private func hint(_ first: ListedSource, _ second: ListedSource) -> String {
    let field: OutputTemplate.Field =
      if OutputNames.ending(of: first.source) != OutputNames.ending(of: second.source) {
        .sourceExt
      } else if first.folder != second.folder {
        .dir
      } else if OutputNames.baseName(of: first) != OutputNames.baseName(of: second) {
        .name
      } else {
        .index
      }
    let text = "{\(field.rawValue)}"
    guard case .template(let template, _) = destination, !OutputTemplate.isTemplate(path) else {
      return "Add \(text), so that the names differ."
    }
    let name = "{dir}/{name}" + (field == .sourceExt ? "." : "-") + text
    // The files of a set have widths, and no format of their sources.
    let other = field == .sourceExt && !keepsFormat && !template.has(.width) ? ", or --format keep" : ""
    return "\(text) tells them apart: -o '\(template.text.replacing("{name}", with: name))'\(other)."
  }
}
