import OzuBase

enum ExitStatus: Int32, Sendable {
  case done = 0
  case failed = 1
  /// The command was not understood; nothing was done.
  case wrongUsage = 2
}

/// The `ozu` command: finds the subcommand and runs it.
enum Tool {
  /// Whether this process is the program `ozu`, under any file name, so that it can start itself again. Set by `main`.
  static let isOwnProgram = Atomic(false)

  static let commands: [any Command.Type] =
    [
      LoadCommand.self, SetCommand.self, InfoCommand.self, ShowCommand.self, CompareCommand.self,
      FramesCommand.self, SheetCommand.self, CardCommand.self, SimilarCommand.self, CleanCommand.self,
      FetchCommand.self, ExplainCommand.self, CacheCommand.self, ThumbnailCommand.self,
    ] + watchCommands + serverCommands + [DemoCommand.self, CompletionsCommand.self, ManualCommand.self]

  private static var watchCommands: [any Command.Type] {
    #if canImport(Glibc)
      [WatchCommand.self]
    #else
      []
    #endif
  }

  private static var serverCommands: [any Command.Type] {
    #if canImport(OzuServer)
      [ServeCommand.self]
    #else
      []
    #endif
  }

  static let names = commands.map { $0.specification.name }

  static func run(_ arguments: [String], console: Console) async -> ExitStatus {
    do throws(UsageError) {
      guard let name = arguments.first else {
        console.printError(HelpText.overview(commands))
        return .wrongUsage
      }
      let rest = Array(arguments.dropFirst())
      switch name {
      case "-h", "--help", "help":
        try refuse(rest.dropFirst())
        return try help(on: rest.first, console)
      case "--version", "-V", "version":
        try refuse(rest[...])
        console.print("ozu \(Version.current)")
        return .done
      default: break
      }
      let command = try find(name)
      // What stands behind "--" is the name of a file.
      if rest.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) {
        return try help(on: name, console)
      }
      let parsed = try ArgumentParser(command.specification).parse(rest)
      return try await command.run(parsed, console: console)
    } catch {
      console.printError("ozu: \(PrintableText.name(error.message))")
      if let hint = error.hint { console.printError(hint) }
      return .wrongUsage
    }
  }

  /// Runs a command as `run` does. A command whose output could not be written completely has failed.
  static func runToEnd(_ arguments: [String], console: Console) async -> ExitStatus {
    let status = await run(arguments, console: console)
    guard let code = console.outputFailure() else { return status }
    console.printError(
      "ozu: \(OutputError(OutputFile.standardOutput, reason: systemMessage(code)).description)")
    return status == .done ? .failed : status
  }

  private static func refuse(_ arguments: ArraySlice<String>) throws(UsageError) {
    if let argument = arguments.first { throw UsageError("\(argument): one argument too many") }
  }

  private static func help(on name: String?, _ console: Console) throws(UsageError) -> ExitStatus {
    guard let name, !["help", "--help", "-h"].contains(name) else {
      console.print(HelpText.overview(commands))
      return .done
    }
    console.print(HelpText.page(try find(name).specification))
    return .done
  }

  private static func find(_ name: String) throws(UsageError) -> any Command.Type {
    if let command = commands.first(where: { $0.specification.name == name }) { return command }
    let hint = "\"ozu help\" lists the commands."
    if name.hasPrefix("-") { throw UsageError("a command must come before \(name)", hint: hint) }
    let near = Suggestion.closest(to: name, among: names + ["help"]) ?? otherNames[name]
    throw UsageError(
      "there is no command \"\(name)\"", hint: near.map { "Did you mean \"ozu \($0)\"?" } ?? hint)
  }

  /// What other tools call the work of a command.
  private static let otherNames = [
    "convert": "load", "resize": "load", "scale": "load", "crop": "load", "rotate": "load", "mogrify": "load",
    "magick": "load", "compress": "load", "optimize": "load", "optimise": "load", "encode": "load",
    "identify": "info", "inspect": "info", "metadata": "info", "exif": "info", "check": "info",
    "srcset": "set",
    "responsive": "set", "view": "show", "display": "show", "open": "show", "cat": "show", "diff": "compare",
    "montage": "sheet", "contact": "sheet", "duplicates": "similar", "dedupe": "similar", "find": "similar",
    "strip": "clean", "thumb": "thumbnail", "download": "fetch", "get": "fetch", "server": "serve",
    "split": "frames", "man": "manual",
  ]
}

/// The version of this build. CHANGELOG.md has a section for it, and `make lint` compares them.
enum Version {
  static let current = "0.9.0"
}

protocol Command: SendableMetatype {
  /// Its name, its options and the text of its help page.
  static var specification: CommandSpecification { get }

  /// Does the work. Failures are printed; only wrong usage is thrown.
  static func run(_ arguments: ParsedArguments, console: Console) async throws(UsageError) -> ExitStatus
}
