#if os(Linux)
  import CIsolationDrills
  import Foundation
  import Glibc
  import OzuIsolation

  let words = CommandLine.arguments.dropFirst()
  if words.last == WorkerHelper.argument {
    if words.contains("--liar") { Liar.run() }
    Pictures.run()
    for count in [24, 40, 70] as [rlim_t] where words.contains("--descriptors-\(count)") {
      var limit = rlimit(rlim_cur: count, rlim_max: count)
      guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { exit(1) }
    }
    for profile in ["seccomp", "landlock"] where words.contains("--refuse-\(profile)") {
      guard ozu_refuse(profile) == 0 else { exit(1) }
    }
  }
  WorkerMain.runIfHelper(CommandLine.arguments) { _ in DrillHandler() }

  switch words.first {
  case "orphans": Orphans.run(marker: words.last ?? "")
  case "costs": Costs.run()
  case "photograph": try PhotographCost.run(file: words.dropFirst().first ?? "")
  case "contained": Contained.run(profile: words.dropFirst().first)
  default:
    print(
      """
      usage: OzuIsolationDrills costs            what a question costs beside the same work in process
             OzuIsolationDrills photograph FILE  what a thumbnail of 8 megapixels costs isolated and in process
             OzuIsolationDrills contained [PROFILE]  what workers can do where a container refuses some calls
             OzuIsolationDrills orphans MARKER   asks workers for work without an end, to be killed meanwhile
      """)
    exit(2)
  }
#endif
