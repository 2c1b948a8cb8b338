import Ozu
import OzuBase

extension OutputTarget {
  /// Throws if a result could replace a source, in any format that it may have. Names that depend on more than the format
  /// are checked when they are known.
  func refuseSources() throws(UsageError) {
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
          "-o \(path): \(file) would replace the source \(source)",
          hint: sources.mayBeOverwritten
            ? "With --overwrite-sources a result replaces only its own source."
            : "Name another folder or file, or give --overwrite-sources.")
      }
    }
  }

  /// Throws when a template gives two sources one name. Names with `{hash}` are equal only for equal results.
  func refuseEqualNames(_ listed: [ListedSource]) throws(UsageError) {
    guard case .template(let template, _) = place, !template.has(.hash) else { return }
    var owners: [String: String] = [:]
    for index in listed.indices {
      let name = OutputNames.folded(plannedPath(forSource: index))
      guard let other = owners.updateValue(listed[index].text, forKey: name) else { continue }
      throw UsageError(
        "-o \(path): the results of \(SourceArgument.shown(other)) and \(SourceArgument.shown(listed[index].text)) "
          + "would both be \(plannedPath(forSource: index))",
        hint: "Add {index}, or {dir} for their folders, so that the names differ.")
    }
  }

  /// The result that each written name belongs to: adjacent fields can give two results one name. One lock guards it.
  final class Claims: Sendable {
    private let owners = Mutex<[String: [Int]]>([:])

    /// Whether no other result has the name. A result is identified by its source and its number there.
    func claim(_ name: String, for result: [Int]) -> Bool {
      owners.withLock { owners in
        if let owner = owners[name] { return owner == result }
        owners[name] = result
        return true
      }
    }
  }
}
