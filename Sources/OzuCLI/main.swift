import Foundation
import OzuSynchronization

// A reader of the output that goes away (`ozu load … | head`) must not kill the process half way.
signal(SIGPIPE, SIG_IGN)
Interruption.install()
BenchServer.isOwnProgram.store(true, ordering: .relaxed)
exit(await Tool.run(Array(CommandLine.arguments.dropFirst()), console: .system).rawValue)
