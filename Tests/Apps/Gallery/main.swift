// Drives the gallery in a real window and looks at what is on the screen: `make gallery-test`.
#if GTK
  import CGTK
  import Foundation
  import Ozu
  import OzuGTK

  // The gallery's pictures are decoded by processes of this program.
  DecoderIsolation.runIfHelper()
  let options = DrillOptions(Array(CommandLine.arguments.dropFirst()))
  CriticalWatch.begin()
  // As the gallery does: GTK notes both with files that are opened by its dialogs, and ends the process if one is missing.
  g_set_prgname("ozu-gallery-drills")
  g_set_application_name("Ozu Gallery")
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
