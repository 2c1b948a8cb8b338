#if OZU_ASAN
  import Foundation
  import OzuTesting

  /// Feeds a target the files of a folder as they are, and then changed at random, in the build of the tests under the address
  /// sanitizer: `make fuzz-quick`. It does not look where an input leads, as LLVM's fuzzer does, and needs no build of its own.
  ///
  ///     OzuFuzz FILE SEED SECONDS FOLDER
  ///
  /// FILE has the last input, which is the one that has ended the process, if one has.
  @main
  enum ChangingDriver {
    private static let longest = 65_536

    static func main() throws {
      let arguments = CommandLine.arguments
      guard arguments.count == 5, let seed = UInt64(arguments[2]), let seconds = Double(arguments[3]) else {
        fatalError("usage: OzuFuzz FILE SEED SECONDS FOLDER")
      }
      let last = URL(filePath: arguments[1])
      let files = try FileManager.default.contentsOfDirectory(
        at: URL(filePath: arguments[4]), includingPropertiesForKeys: nil
      ).sorted { $0.path() < $1.path() }
      let inputs = try files.map { try [UInt8](Data(contentsOf: $0)) } + samples
      var runCount = 0
      func run(_ input: [UInt8]) throws {
        try Data(input).write(to: last)
        // Longer than any of the targets may take.
        alarm(60)
        fuzz(Data(input))
        runCount += 1
      }
      for input in inputs { try run(input) }
      var random = SeededGenerator(seed: seed)
      let end = ContinuousClock.now + .seconds(seconds)
      while ContinuousClock.now < end {
        var input = inputs.randomElement(using: &random) ?? []
        for _ in 0...Int.random(in: 0..<4, using: &random) {
          let number = UInt32.random(in: 0...UInt32.max, using: &random)
          input =
            input.withUnsafeBufferPointer { changed($0, number) } ?? scrambled(input, inputs, using: &random)
        }
        try run(Array(input.prefix(longest)))
      }
      try FileManager.default.removeItem(at: last)
      print("\(runCount) inputs, of which \(inputs.count) as they are")
    }

    /// The input with a few other bytes, without a part, or with a part of another input.
    private static func scrambled(
      _ input: [UInt8], _ inputs: [[UInt8]], using random: inout SeededGenerator
    ) -> [UInt8] {
      var input = input
      guard !input.isEmpty else { return [UInt8.random(in: 0...255, using: &random)] }
      let start = Int.random(in: 0..<input.count, using: &random)
      let end = min(input.count, start + 1 << Int.random(in: 0..<8, using: &random))
      switch Int.random(in: 0..<6, using: &random) {
      case 0: input[start] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 1: input[start] = UInt8.random(in: 0...255, using: &random)
      case 2: for index in start..<end { input[index] = Bool.random(using: &random) ? 0xFF : 0 }
      case 3: input.removeSubrange(start..<end)
      case 4: input.insert(contentsOf: input[start..<end], at: start)
      default:
        let other = inputs.randomElement(using: &random) ?? []
        input.replaceSubrange(start..<end, with: other.dropFirst(start).prefix(end - start))
      }
      return input
    }
  }
#endif
