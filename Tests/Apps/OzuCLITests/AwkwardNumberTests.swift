import Foundation
import Ozu
import OzuTesting
import Testing

@testable import OzuCLI

/// The numbers at which arithmetic and conversions end, as the value of each option and of each setting of `ozu serve`. A
/// program that any of them ends takes the test with it.
@Suite("Awkward numbers", .timeLimit(.minutes(10)))
struct AwkwardNumberTests {
  private static let numbers: [String] = {
    let powers = [8, 16, 31, 32, 53, 63].flatMap { power in
      let value = UInt64(1) << UInt64(power)
      return ["\(value - 1)", "\(value)", "\(value + 1)", "-\(value)"]
    }
    let others = [
      "", "0", "1", "-1", "-0", "0.5", "18446744073709551615", "18446744073709551616", "1e19", "-1e19",
      "1e308", "1e309",
      "5e-324", "NaN", "-inf", "0x10", "99999999999999999999999999",
    ]
    return powers + others
  }()

  /// The forms that values with numbers have: a size, a region, parts of a step, a percentage, a time.
  private static let forms: [@Sendable (String) -> String] = [
    { $0 }, { "\($0)x\($0)" }, { "\($0)x1" }, { "\($0),\($0),\($0),\($0)" }, { "1,1,\($0),\($0)" },
    { "\($0)%" },
    { "\($0):\($0)" }, { "\($0)s" }, { "crop=\($0)" }, { "2x2+\($0)+\($0)" },
  ]

  // The others wait for as long as the number says, or print nothing of it.
  private static let commands = ["load", "set", "info", "show", "explain", "thumbnail"]

  @Test("as an option", arguments: commands)
  func options(command: String) async throws {
    let folder = try Folder()
    let pattern = PatternPicture(PixelSize(8, 6), tint: 3).bitmap
    let picture = try folder.write(try CodecRegistry.standard.encode(pattern, as: .png), to: "a.png")
    let options = try #require(Tool.commands.first { $0.specification.name == command }).specification.options
    for option in options where option.value != nil && option.kind == .text && option.name != "output" {
      for (index, number) in Cases.every(2, of: Array(Self.numbers.enumerated())) {
        let value = Self.forms[(index + option.name.utf8.count) % Self.forms.count](number)
        let output = command == "set" ? ["--output", folder.path("sets")] : []
        let run = await CommandRun([command, picture, "--\(option.name)=\(value)"] + output)
        #expect(run.status == .done || !run.errors.isEmpty, "\(option.name) = \(value)")
      }
    }
  }

  #if canImport(OzuServer)
    @Test("as a setting")
    func settings() throws {
      for setting in ServeSetting.all {
        for (index, number) in Cases.every(2, of: Array(Self.numbers.enumerated())) {
          let value = Self.forms[(index + setting.name.utf8.count) % Self.forms.count](number)
          let others = setting.name == "s3_endpoint" ? "" : "\ns3_endpoint = https://s3.example.com"
          let file = "\(setting.name) = \(value)\(others)"
          let settings = try ServeSettings(file: file, environment: [:])
          _ = try? settings.configuration()
          _ = try? settings.rules(isInsecure: true)
          _ = try? settings.listen()
          _ = try? settings.drainLimit()
        }
      }
    }
  #endif
}
