import Foundation

/// Compares the scheduler with its naive model: `OzuSchedulerDrills [seeds] [first seed]`.
let arguments = CommandLine.arguments.dropFirst().compactMap { UInt64($0) }
let count = arguments.first ?? 100_000
let first = arguments.dropFirst().first ?? 1
var total = ModelRun.Coverage()

for seed in first..<first + count {
  // A few large runs among many small ones; variety finds more faults than size.
  var run = ModelRun(seed: seed, jobCount: seed % 100 == 0 ? 200...1000 : 20...60)
  do {
    try run.run()
  } catch {
    print(error)
    exit(1)
  }
  total.add(run.coverage)
}
print("\(count) seeds, no difference: \(total)")
