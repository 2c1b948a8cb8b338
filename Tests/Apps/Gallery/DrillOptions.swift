import Foundation

/// The options of the command line:
///
/// - names of drills to run, all of them by default;
/// - `--json FILE` for the report;
/// - `--screenshots FOLDER` to write pictures of the windows;
/// - `--renew FOLDER` to write the pictures of the documentation, `--golden FOLDER` to compare them with former ones;
/// - `--picture FILE`, a large one for the drill `huge`;
/// - `--photos FOLDER` for other photographs than those of the demo;
/// - `--quick` for fewer cells;
/// - `--strict` to fail for times too, which needs a quiet machine.
struct DrillOptions {
  var names: [String] = []
  var report: String?
  var screenshots: String?
  var golden: String?
  var renewed: String?
  var picture: String?
  var photos = "Sources/Apps/OzuCLI/Resources/Photos"
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
