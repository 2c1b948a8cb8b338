import Foundation

// A reader of the output that goes away (`ozu load … | head`) must not kill the process half way.
signal(SIGPIPE, SIG_IGN)
exit(await Tool.run(Array(CommandLine.arguments.dropFirst()), console: .system).rawValue)
