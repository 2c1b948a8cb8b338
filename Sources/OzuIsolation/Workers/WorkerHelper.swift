/// The program that becomes the zygote and its workers. Its `main` begins with `WorkerMain.runIfHelper`.
package enum WorkerHelper: Hashable, Sendable {
  /// A program by its path, and what goes before the arguments that make it a helper.
  case program(String, arguments: [String] = [])
  /// The program that runs, also after its file was replaced.
  case thisProgram(arguments: [String] = [])
}
