import Foundation

/// Programs of other people that read what Ozu writes. Tests that need one are skipped where it is not installed.
enum ForeignReader: String {
  case exiftool, webpinfo

  /// Where the program is.
  private var path: String? {
    (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
      .map { "\($0)/\(rawValue)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  var isInstalled: Bool { path != nil }

  /// What the program prints.
  func output(_ arguments: [String]) throws -> Data {
    guard let path else { return Data() }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return data
  }

  /// What exiftool finds in files, by their names: values by group and tag ("IFD0:Orientation"), as numbers where they are.
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
