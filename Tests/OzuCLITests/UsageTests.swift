import Foundation
import Testing

@testable import OzuCLI

@Suite("What is typed wrong gets status 2 and a hint")
struct UsageTests {
  @Test(
    "wrong usage",
    arguments: [
      (["lod", "a.jpg"], "Did you mean \"ozu load\"?"), (["load"], "Usage: ozu load"),
      (["load", "a.jpg", "--sise", "3"], "Did you mean --size?"), (["load", "a.jpg", "-z"], "no option -z"),
      (["load", "a.jpg", "--size"], "needs a value"), (["load", "a.jpg", "--size", "320"], "--size 320x240"),
      (["load", "a.jpg", "--size", "0x10"], "from 1 to"),
      (["load", "a.jpg", "--size", "-4x10"], "from 1 to"),
      (["load", "a.jpg", "--size", "9x9", "--mode", "filll"], "Did you mean \"fill\"?"),
      (["load", "a.jpg", "--mode", "fill"], "needs a size"), (["load", "a.jpg", "--crop"], "needs a size"),
      (["load", "a.jpg", "--size", "9x9", "--mode", "fit", "--crop"], "--mode fill"),
      (["load", "a.jpg", "--quality", "101"], "from 0 to 100"),
      (["load", "a.jpg", "--quality=x"], "from 0 to 100"),
      (["load", "a.jpg", "--format", "bmp"], "jpeg"),
      (["load", "a.jpg", "-o", "b.bmp"], ".bmp cannot be written"),
      (["load", "a.jpg", "--json=1"], "takes no value"), (["cache"], "Usage: ozu cache"),
      (["cache", "stat"], "Did you mean \"ozu cache stats\"?"),
      (["cache", "stats", "x"], "one argument too many"),
      (["cache", "stats", "--to", "5"], "goes with trim"),
      (["bench", "thumbnails"], "Did you mean \"thumbnail\"?"),
      (["load", "-", "/dev/stdin"], "standard input is one source"),
      (["load", "a.jpg", "b.jpg", "-o", "-"], "several results need a folder"),
      (["load", "a.jpg", "-o", "-", "--trace", "-"], "the result of -o goes there"),
      (["--version", "extra"], "extra: one argument too many"), (["version", "-v"], "one argument too many"),
      (["help", "load", "extra"], "extra: one argument too many"),
      (["help", "cahce"], "Did you mean \"ozu cache\"?"), ([], "Usage: ozu COMMAND"),
    ])
  func wrong(_ arguments: [String], _ message: String) async {
    let run = await CommandRun(arguments)
    #expect(run.status == .wrongUsage)
    #expect(run.errors.contains(message), "\(run.errors)")
    #expect(run.output.isEmpty)
  }

  @Test("help of each command names its options", arguments: ["load", "info", "cache", "demo", "bench"])
  func help(_ name: String) async throws {
    let command = try #require(Tool.commands.first { $0.specification.name == name })
    for arguments in [["help", name], [name, "--help"], [name, "-h"]] {
      let run = await CommandRun(arguments)
      #expect(run.status == .done)
      for option in command.specification.options { #expect(run.output.contains("--\(option.name)")) }
    }
    #expect(await CommandRun("help").output.contains(command.specification.summary))
  }

  @Test(
    "the synopsis of each command has all its options", arguments: Tool.commands.map { $0.specification.name }
  )
  func synopsis(_ name: String) throws {
    let specification = try #require(Tool.commands.first { $0.specification.name == name }).specification
    for option in specification.options {
      #expect(Self.names(option).contains { specification.synopsis.contains($0) }, "--\(option.name)")
    }
  }

  @Test(
    "the synopsis in README.md has all options too", arguments: Tool.commands.map { $0.specification.name })
  func readme(_ name: String) throws {
    let file = URL(filePath: #filePath).appending(path: "../../../README.md").standardizedFileURL
    let text = try String(contentsOf: file, encoding: .utf8)
    let specification = try #require(Tool.commands.first { $0.specification.name == name }).specification
    // The lines from this command to the next one, in the block that begins with a line of its own.
    let synopses = try #require(text.components(separatedBy: "```\nozu load SOURCE").dropFirst().first)
    let block = try #require(("\nozu load SOURCE" + synopses).components(separatedBy: "```").first)
    let own = try #require(block.components(separatedBy: "\nozu ").first { $0.hasPrefix(name + " ") })
    for option in specification.options {
      #expect(Self.names(option).contains { own.contains($0) }, "--\(option.name)")
    }
  }

  /// How an option may be written in a synopsis.
  private static func names(_ option: OptionSpecification) -> [String] {
    let letters = option.letter.map { ["[-\($0)]", "[-\($0) "] } ?? []
    return ["--\(option.name)]", "--\(option.name) "] + letters
  }

  @Test("version")
  func version() async {
    #expect(await CommandRun("--version").output == "ozu \(Version.current)\n")
  }
}

@Suite struct ArgumentParserTests {
  private static let specification = CommandSpecification(
    name: "test", summary: "", synopsis: "",
    options: [
      OptionSpecification(name: "size", letter: "s", value: "N", help: ""),
      OptionSpecification(name: "all", letter: "a", help: ""),
      OptionSpecification(name: "big", letter: "b", help: ""),
    ], positional: 0...9)

  @Test(
    "the ways to write options",
    arguments: [
      ["--size", "5", "-ab", "x"], ["--size=5", "-a", "-b", "x"], ["-s5", "-a", "--big", "x"],
      ["x", "-abs", "5"], ["-abs5", "--", "x"], ["-s", "4", "--size", "5", "-a", "-b", "x"],
    ])
  func forms(_ arguments: [String]) throws {
    let parsed = try ArgumentParser(Self.specification).parse(arguments)
    #expect(parsed.value("size") == "5")
    #expect(parsed.has("all") && parsed.has("big"))
    #expect(parsed.positional == ["x"])
  }

  @Test("a lone dash and what follows two dashes are arguments")
  func dashes() throws {
    let parsed = try ArgumentParser(Self.specification).parse(["-", "--", "--size", "-a"])
    #expect(parsed.positional == ["-", "--size", "-a"])
    #expect(!parsed.has("all"))
  }

  @Test(
    "edits between words",
    arguments: [("load", "load", 0), ("laod", "load", 1), ("lod", "load", 1), ("", "ab", 2)])
  func distance(_ a: String, _ b: String, _ count: Int) {
    #expect(Suggestion.distance(a, b) == count)
  }
}
