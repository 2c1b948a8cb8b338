import Foundation

// `OzuSchedulerDrills [seeds] [first seed]` compares the scheduler with its naive model, and
// `OzuSchedulerDrills leaks [seconds] [seed]` looks for what a pipeline leaves behind.
let numbers = CommandLine.arguments.dropFirst().compactMap { UInt64($0) }

#if OZU_WALK
  try await ColdWalk.run()
#endif
if CommandLine.arguments.dropFirst().first == "leaks" {
  do {
    var drill = try LeakDrill(seed: numbers.dropFirst().first ?? 1)
    try await drill.run(seconds: numbers.first.map { Int(clamping: $0) } ?? 600)
  } catch {
    print(error)
    exit(1)
  }
} else {
  let (count, first) = (numbers.first ?? 100_000, numbers.dropFirst().first ?? 1)
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
}
