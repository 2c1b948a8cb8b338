// Runs the decoders over a corpus with recorded answers and reports, set by set, which files passed.
//
//   OzuConformance CORPUS [--report FILE] [--exceptions FILE] [--set NAME] [--isolated] [--without-costs] [--verbose]
//
// With --isolated, files are also decoded in other processes, and both results must be equal.
// With --without-costs, time and memory are recorded but not checked: for builds with a sanitizer.
// The exit status is 0 if every file passed or is a listed exception, 1 if not, 2 for wrong usage.

import Foundation
import OzuIsolation
import OzuStandardCodecs

// This program is its own helper.
DecoderIsolation.runIfHelper { .helper(hasDeepStack: $0) }

func fail(_ message: String) -> Never {
  FileHandle.standardError.write(Data((message + "\n").utf8))
  exit(2)
}

let options = ["--report", "--exceptions", "--set"]
var values: [String: String] = [:]
var positional: [String] = []
var isVerbose = false
var judgesCosts = true
var comparesIsolation = false
var arguments = CommandLine.arguments.dropFirst()
while let argument = arguments.popFirst() {
  if options.contains(argument) {
    guard let value = arguments.popFirst() else { fail("\(argument) needs a value") }
    values[argument] = value
  } else if argument == "--verbose" {
    isVerbose = true
  } else if argument == "--isolated" {
    comparesIsolation = true
  } else if argument == "--without-costs" {
    judgesCosts = false
  } else if argument.hasPrefix("-") {
    fail("unknown option \(argument)")
  } else {
    positional.append(argument)
  }
}
guard positional.count == 1 else {
  fail(
    "usage: OzuConformance CORPUS [--report FILE] [--exceptions FILE] [--set NAME] [--isolated] "
      + "[--without-costs] [--verbose]"
  )
}

do {
  let corpus = URL(fileURLWithPath: positional[0], isDirectory: true)
  let decoder = JSONDecoder()
  let index = try Data(contentsOf: corpus.appendingPathComponent("INDEX.json"))
  let records = try decoder.decode([Record].self, from: index)
    .filter { values["--set"] == nil || $0.set == values["--set"] }
  let exceptionFile = values["--exceptions"] ?? "Tests/Libraries/Conformance/exceptions.json"
  let exceptions = try decoder.decode(
    [KnownException].self, from: Data(contentsOf: URL(fileURLWithPath: exceptionFile)))
  let reasons = Dictionary(exceptions.map { ($0.path, $0.reason) }, uniquingKeysWith: { first, _ in first })

  if comparesIsolation {
    let comparison = try IsolationComparison()
    var differences = 0
    var failures: [String] = []
    for record in records {
      if isVerbose { FileHandle.standardError.write(Data((record.path + "\n").utf8)) }
      let data = try Data(contentsOf: corpus.appendingPathComponent(record.path))
      // A drawing that is only recorded as harmless may end this process.
      let isSafeHere = record.format != "svg" || record.expect == .decode
      failures.removeAll()
      if let difference = comparison.difference(data, isSafeHere: isSafeHere, failures: &failures) {
        differences += 1
        print("different: \(record.path): \(difference)")
      }
      if !failures.isEmpty {
        print("failed apart: \(record.path) (\(record.expect.rawValue)): \(failures.joined(separator: "; "))")
      }
    }
    print("isolated: \(records.count) files, \(differences) different; \(comparison.status)")
    exit(differences == 0 ? 0 : 1)
  }

  var tallies: [String: Tally] = [:]
  var findings: [Finding] = []
  for record in records {
    if isVerbose { FileHandle.standardError.write(Data((record.path + "\n").utf8)) }
    var finding = try Examination(corpus: corpus, record: record, judgesCosts: judgesCosts).run()
    if finding.outcome == .fail, let reason = reasons[record.path] {
      finding.outcome = .exception
      finding.detail += " — " + reason
    }
    tallies[record.set, default: Tally()].add(finding.outcome)
    findings.append(finding)
  }

  for (set, tally) in tallies.sorted(by: { $0.key < $1.key }) { print("\(set): \(tally.description)") }
  for finding in findings where finding.outcome == .exception || finding.outcome == .fail {
    print("\(finding.outcome.rawValue): \(finding.path) (\(finding.expect)): \(finding.detail)")
  }
  for finding in findings where finding.outcome == .pass && reasons[finding.path] != nil {
    print("listed, but right: \(finding.path)")
  }
  var total = Tally()
  for finding in findings { total.add(finding.outcome) }
  print("all: \(total.description)")
  if let report = values["--report"] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try encoder.encode(findings).write(to: URL(fileURLWithPath: report))
  }
  exit(total.failed == 0 ? 0 : 1)
} catch {
  fail("\(error)")
}
