#if os(Linux)
  import CIsolationDrills
  import Foundation
  import OzuIsolation

  let words = CommandLine.arguments.dropFirst()
  if words.last == WorkerHelper.argument {
    if words.contains("--liar") { Liar.run() }
    if words.contains("--refuse-seccomp") || words.contains("--refuse-landlock") {
      guard ozu_refuse(words.contains("--refuse-seccomp"), words.contains("--refuse-landlock")) == 0 else {
        exit(1)
      }
    }
  }
  WorkerMain.runIfHelper(CommandLine.arguments) { DrillHandler() }

  switch words.first {
  case "orphans": Orphans.run(marker: words.last ?? "")
  case "costs": Costs.run()
  default:
    print(
      """
      usage: OzuIsolationDrills costs            what a question costs beside the same work in process
             OzuIsolationDrills orphans MARKER   asks workers for work without an end, to be killed meanwhile
      """)
    exit(2)
  }
#endif
