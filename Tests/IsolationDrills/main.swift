#if os(Linux)
  import CIsolationDrills
  import Foundation
  import OzuIsolation

  let words = CommandLine.arguments.dropFirst()
  if words.last == WorkerHelper.argument {
    if words.contains("--liar") { Liar.run() }
    if words.contains("--pictures") { Pictures.run() }
    for profile in ["seccomp", "landlock"] where words.contains("--refuse-\(profile)") {
      guard ozu_refuse(profile) == 0 else { exit(1) }
    }
  }
  WorkerMain.runIfHelper(CommandLine.arguments) { _ in DrillHandler() }

  switch words.first {
  case "orphans": Orphans.run(marker: words.last ?? "")
  case "costs": Costs.run()
  case "contained": Contained.run(profile: words.dropFirst().first)
  default:
    print(
      """
      usage: OzuIsolationDrills costs            what a question costs beside the same work in process
             OzuIsolationDrills contained [PROFILE]  what workers can do where a container refuses some calls
             OzuIsolationDrills orphans MARKER   asks workers for work without an end, to be killed meanwhile
      """)
    exit(2)
  }
#endif
