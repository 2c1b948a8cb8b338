import Foundation

/// Programs of other projects that read files of Ozu. Tests that need one are skipped if it is not installed.
enum ForeignReader: String {
  case exiftool, webpinfo

  private var program: ForeignProgram? { ForeignProgram(named: rawValue) }

  var isInstalled: Bool { program != nil }

  /// The output of the program, also if it reports errors.
  func output(_ arguments: [String]) throws -> Data { try program?.run(arguments).output ?? Data() }

  /// The metadata that exiftool finds in files, by file name: values by group and tag ("IFD0:Orientation"), as
  /// numbers if they are.
  static func tags(of files: [String: Data], _ options: [String] = []) throws -> [String: [String: Any]] {
    let folder = FileManager.default.temporaryDirectory.appending(path: "ozu-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, data) in files { try data.write(to: folder.appending(path: name)) }
    let json = try ForeignReader.exiftool.output(["-j", "-n", "-G1", "-a"] + options + [folder.path])
    let found = try JSONSerialization.jsonObject(with: json) as? [[String: Any]] ?? []
    var tags: [String: [String: Any]] = [:]
    for entry in found {
      guard let path = entry["SourceFile"] as? String else { continue }
      tags[URL(fileURLWithPath: path).lastPathComponent] = entry
    }
    return tags
  }
}
