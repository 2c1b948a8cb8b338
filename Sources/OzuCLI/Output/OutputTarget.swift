import Foundation
import Ozu

/// Where `-o` puts the results: a file, standard output, or a folder in which each result is named for its source.
struct OutputTarget: Sendable {
  private enum Place {
    case file(OutputFile)
    case folder(String, OutputNames)
  }

  private let path: String
  private let place: Place
  private let format: ImageType?
  private let sources: SourceFiles

  /// - Parameters:
  ///   - path: what `-o` says. A folder when it ends in a slash, when it is one, or for several sources.
  ///   - format: what `--format` says; else the ending of the file decides, else the picture.
  ///   - overwritesSources: whether a result may take the place of its own source.
  /// - Throws: also when a result could take the place of a source that is to stay.
  init(
    path: String, format: ImageType?, sources: [ImageSource], overwritesSources: Bool
  ) throws(UsageError) {
    var isDirectory: ObjCBool = false
    let isDash = path == OutputFile.standardOutput
    let exists = isDash || FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
    self.path = path
    self.sources = SourceFiles(sources, mayBeOverwritten: overwritesSources)
    if path.hasSuffix("/") || sources.count > 1 || isDirectory.boolValue {
      if exists && !isDirectory.boolValue {
        throw UsageError("-o \(path): this is a file; several results need a folder")
      }
      place = .folder(path, OutputNames(sources))
      self.format = format
    } else {
      let file = OutputFile(path)
      place = .file(file)
      self.format = if let format { format } else { try Self.format(of: file) }
    }
    try refuseSources()
  }

  private static func format(of file: OutputFile) throws(UsageError) -> ImageType? {
    let ending = URL(fileURLWithPath: file.path).pathExtension.lowercased()
    guard !ending.isEmpty else { return nil }
    guard let type = OutputFormats.type(ofEnding: ending) else {
      throw UsageError(
        "-o \(file.path): files ending in .\(ending) cannot be written",
        hint: "--format says \(OutputFormats.list).")
    }
    return type
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

  /// The format for a picture: opaque pictures are JPEG unless something else was asked for.
  func type(for picture: Picture) -> ImageType {
    format ?? (picture.bitmap.isOpaque ? .jpeg : .png)
  }

  /// The formats of which `type(for:)` chooses.
  private var possibleTypes: [ImageType] { format.map { [$0] } ?? [.jpeg, .png] }

  /// The file for the result of a source.
  func file(forSource index: Int, _ type: ImageType) -> OutputFile {
    switch place {
    case .file(let file): file
    case .folder(let folder, let names):
      OutputFile(
        (folder.hasSuffix("/") ? folder : folder + "/") + "\(names.stems[index]).\(type.fileExtension)")
    }
  }

  /// Throws for a result that could take the place of a source, whichever format it will have.
  private func refuseSources() throws(UsageError) {
    for index in sources.indices {
      for type in possibleTypes {
        let file = file(forSource: index, type)
        guard let source = sources.source(lostBy: file.path, of: index) else { continue }
        throw UsageError(
          "-o \(path): \(file.path) would take the place of the source \(source)",
          hint: sources.mayBeOverwritten
            ? "With --overwrite-sources a result takes the place of its own source only."
            : "Name another folder or file, or give --overwrite-sources.")
      }
    }
  }

  /// Writes a result. Blocks.
  ///
  /// - Returns: the path.
  func write(_ data: Data, forSource index: Int, _ type: ImageType) throws(OutputError) -> String {
    let file = file(forSource: index, type)
    // Again: links and files may have been made since.
    if let source = sources.source(lostBy: file.path, of: index) {
      throw OutputError(file.path, reason: "it is the source \(source)")
    }
    // A source cannot be made again, as a result can.
    try file.write(data, makesFolders: true, isDurable: sources.mayBeOverwritten)
    return file.path
  }
}
