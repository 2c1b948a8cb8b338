/// One subcommand of `ozu`.
protocol Command: SendableMetatype {
  /// Its name, its options, and what its help page says.
  static var specification: CommandSpecification { get }

  /// Does the work. Failures are printed; only wrong usage is thrown.
  static func run(_ arguments: ParsedArguments, console: Console) async throws(UsageError) -> ExitStatus
}
