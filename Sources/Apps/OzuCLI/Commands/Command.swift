protocol Command: SendableMetatype {
  /// Its name, its options and the text of its help page.
  static var specification: CommandSpecification { get }

  /// Does the work. Failures are printed; only wrong usage is thrown.
  static func run(_ arguments: ParsedArguments, console: Console) async throws(UsageError) -> ExitStatus
}
