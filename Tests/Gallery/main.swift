// Drives the gallery in a real window and looks at what is on the screen: `make gallery-test`.
#if GTK
  import CGTK
  import Foundation
  import OzuGTK

  let options = DrillOptions(Array(CommandLine.arguments.dropFirst()))
  CriticalWatch.begin()
  guard gtk_init_check() != 0 else {
    DrillOutput.complain("there is no display: run this under Xvfb, as 'make gallery-test' does")
    exit(1)
  }
  GLibMainLoop.attach()
  var status: Int32 = 1
  Task {
    status = await Drills(options).run()
    GLibMainLoop.quit()
  }
  GLibMainLoop.run()
  exit(status)
#else
  import Foundation

  FileHandle.standardError.write(Data("The gallery's drills need GTK 4: run 'make gallery-test'.\n".utf8))
  exit(1)
#endif
