import Foundation
import Ozu

// Before anything else: a process that decodes for another one does nothing else.
DecoderIsolation.runIfHelper()
// A server or a process of ours that hangs up is an error of one load. Standard output alone ends the process when its
// reader goes away (`ozu load … | head`), in `Interruption`.
signal(SIGPIPE, SIG_IGN)
CLibraries.silence()
Interruption.install()
// A caller that ignores its children must not have ours vanish, and their numbers go to others, before they are waited
// for.
signal(SIGCHLD, SIG_DFL)
Tool.isOwnProgram.store(true, ordering: .relaxed)
exit(await Tool.runToEnd(Array(CommandLine.arguments.dropFirst()), console: .system).rawValue)
