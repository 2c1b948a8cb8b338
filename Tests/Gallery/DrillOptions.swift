import Foundation

/// What the command line says: names of drills to run (all of them by default), `--json FILE` for the report,
/// `--screenshots FOLDER` to write pictures of the windows there, `--renew FOLDER` to write those that the documentation
/// has, `--golden FOLDER` to compare these with those of before,
/// `--picture FILE` a large one for the drill `huge`, `--photos FOLDER` for pictures to look at other than those of the demo, `--quick` for fewer cells, `--strict`
/// to fail for times too, which only a quiet machine keeps.
struct DrillOptions {
  var names: [String] = []
  var report: String?
  var screenshots: String?
  var golden: String?
  var renewed: String?
  var picture: String?
  var photos = "Sources/OzuCLI/Resources/Photos"
  /// The program whose output is shown in a terminal; built beside the drills.
  var ozu = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "ozu").path()
  var isQuick = false
  var isStrict = false

  init(_ arguments: [String]) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--json": report = rest.popFirst()
      case "--screenshots": screenshots = rest.popFirst()
      case "--golden": golden = rest.popFirst()
      case "--renew": renewed = rest.popFirst()
      case "--photos": photos = rest.popFirst() ?? photos
      case "--picture": picture = rest.popFirst()
      case "--quick": isQuick = true
      case "--strict": isStrict = true
      default: names.append(argument)
      }
    }
  }
}
