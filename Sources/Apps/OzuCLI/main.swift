import Foundation
import Ozu

// Before anything else: a process that decodes for another one does nothing else.
DecoderIsolation.runIfHelper()
StandardStreams.openClosed()
CrashMessage.install()
// A server or a worker process that closes its connection is an error of one load. Only when the reader of standard
// output goes away (`ozu load … | head`) does the process end, in `Interruption`.
signal(SIGPIPE, SIG_IGN)
CLibraries.silence()
Interruption.install()
// A parent that ignores SIGCHLD passes that on. The system would then remove our child processes as they end, and could
// give their numbers to other processes before we wait for them.
signal(SIGCHLD, SIG_DFL)
Tool.isOwnProgram.store(true, ordering: .relaxed)
if CommandLine.arguments.isEmpty {
  // On Linux, Swift reads the arguments there.
  Console.system.printError("ozu: its command line cannot be read: /proc is not mounted")
  exit(ExitStatus.failed.rawValue)
}
exit(await Tool.runToEnd(Array(CommandLine.arguments.dropFirst()), console: .system).rawValue)
