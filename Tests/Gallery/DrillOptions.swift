import Foundation

/// What the command line says: names of drills to run (all of them by default), `--json FILE` for the report,
/// `--screenshots FOLDER` to write pictures of the windows there, `--golden FOLDER` to compare them with,
/// `--photos FOLDER` for pictures to look at, `--quick` for fewer cells, `--strict`
/// to fail for times too, which only a quiet machine keeps.
struct DrillOptions {
  var names: [String] = []
  var report: String?
  var screenshots: String?
  var golden: String?
  var photos: String?
  var isQuick = false
  var isStrict = false

  init(_ arguments: [String]) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--json": report = rest.popFirst()
      case "--screenshots": screenshots = rest.popFirst()
      case "--golden": golden = rest.popFirst()
      case "--photos": photos = rest.popFirst()
      case "--quick": isQuick = true
      case "--strict": isStrict = true
      default: names.append(argument)
      }
    }
  }
}
