import Foundation
import Ozu

// Before anything else: a process that decodes for another one does nothing else.
DecoderIsolation.runIfHelper()
// A server or a process of ours that hangs up is an error of one request.
signal(SIGPIPE, SIG_IGN)

func fail(_ message: String, _ status: Int32) -> Never {
  FileHandle.standardError.write(Data("ozu-bench: \(message)\n".utf8))
  exit(status)
}

do {
  let arguments = try BenchArguments(Array(CommandLine.arguments.dropFirst()))
  if arguments.wantsHelp {
    print(BenchArguments.help)
  } else if arguments.isServer {
    try BenchServer.serve(hasPhotos: arguments.benchmarks.map(\.name) == [LoadBench.name])
  } else {
    BenchServer.isOwnProgram.store(true, ordering: .relaxed)
    for benchmark in arguments.benchmarks {
      let report = try benchmark.run(arguments.options)
      let text =
        arguments.isJSON
        ? try report.json()
        : "\(report.benchmark)\n" + report.lines.map { "  " + $0 }.joined(separator: "\n")
      // At once, where `print` keeps it until a buffer is full.
      FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }
  }
} catch let error as BenchArguments.Misunderstood {
  fail(error.description, 2)
} catch {
  fail("\(error)", 1)
}
