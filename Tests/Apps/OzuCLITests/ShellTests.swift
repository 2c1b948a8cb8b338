import Foundation
import Testing

@testable import OzuCLI

@Suite("Completions of shells and the manual page, made from the specifications")
struct ShellTests {
  private static var specifications: [CommandSpecification] { Tool.commands.map { $0.specification } }

  @Test("every option of every command is in each", arguments: Tool.names)
  func options(_ name: String) async throws {
    let specification = try #require(Self.specifications.first { $0.name == name })
    let manual = await CommandRun("manual").output
    let section = try #require(
      manual.components(separatedBy: ".SS \"ozu ").first { $0.hasPrefix(name + "\"") })
    let bash = await CommandRun("completions", "bash").output
    let zsh = await CommandRun("completions", "zsh").output
    let fish = await CommandRun("completions", "fish").output
    for option in specification.options {
      let dashed = option.name.replacingOccurrences(of: "-", with: "\\-")
      #expect(section.contains("\\-\\-\(dashed)"), "--\(option.name)")
      #expect(bash.contains("--\(option.name) ") && zsh.contains("*--\(option.name)"))
      let letter = option.letter.map { " -s \($0)" } ?? ""
      #expect(fish.contains("from \(name)'\(letter) -l \(option.name) "))
    }
  }

  @Test("the shells read their scripts", arguments: ["bash", "zsh", "fish"])
  func syntax(_ shell: String) async throws {
    let folder = try Folder()
    let run = await CommandRun("completions", shell)
    #expect(run.status == .done && run.errors.isEmpty)
    let script = try folder.write(Data(run.output.utf8), to: "script")
    guard let result = try ProgramRun(named: shell, ["-n", script]) else { return }
    #expect(result.status == 0 && result.output.isEmpty, "\(result.output)")
  }

  @Test(
    "bash completes commands, options, words and files",
    arguments: [
      (["inf"], ["info"]), (["load", "--mod"], ["--mode"]), (["load", "-m", "st"], ["stretch"]),
      (["load", "--mode", "=", "st"], ["stretch"]), (["load", "--effort", "="], ["low", "medium", "high"]),
      (["set", "--formats", "web"], ["webp"]), (["set", "--formats", "=", "png,web"], ["png,webp"]),
      (["clean", "--keep", "orientation,all"], ["orientation,all-but-place"]),
      (["load", "--cache", "=", ""], ["folder"]),
      (["load", "--mode", ""], ["fit", "cover", "outside", "stretch", "none"]), (["cache", "cl"], ["clear"]),
      (["load", "a p"], ["a picture.png"]), (["load", "--cache", ""], ["folder"]),
      (["load", "--size", ""], []),
      (["help", "compl"], ["completions"]), (["completions", "z"], ["zsh"]),
      (["load", "--watermark", "a"], ["a picture.png"]),
    ])
  func bash(_ words: [String], _ answers: [String]) async throws {
    let folder = try Folder()
    try folder.write(Data(), to: "a picture.png")
    try FileManager.default.createDirectory(
      at: folder.url.appending(path: "folder"), withIntermediateDirectories: true)
    try folder.write(Data(await CommandRun("completions", "bash").output.utf8), to: ".script")
    let line = words.map(\.singleQuoted).joined(separator: " ")
    let command = """
      cd \(folder.path("").singleQuoted); . ./.script; COMP_WORDS=(ozu \(line)); COMP_CWORD=\(words.count); _ozu
      for word in "${COMPREPLY[@]}"; do printf '%s\\n' "$word"; done
      """
    guard let result = try ProgramRun(named: "bash", ["--norc", "-c", command]) else { return }
    let lines = result.output.split(separator: "\n").map(String.init)
    #expect(lines == answers, "\(result.output)")
  }

  @Test("fish completes too, if it is installed")
  func fish() async throws {
    let folder = try Folder()
    let script = try folder.write(Data(await CommandRun("completions", "fish").output.utf8), to: "script")
    let line = "source \(script.singleQuoted); complete -C 'ozu load --mode st'; complete -C 'ozu cache cl'"
    guard let result = try ProgramRun(named: "fish", ["--no-config", "-c", line]) else { return }
    let words = result.output.split(separator: "\n").map { $0.prefix { $0 != "\t" } }
    #expect(words == ["stretch", "clear"], "\(result.output)")
  }

  @Test("groff has no warnings about the manual page")
  func manual() async throws {
    let folder = try Folder()
    let run = await CommandRun("manual")
    #expect(run.status == .done && run.output.unicodeScalars.allSatisfy(\.isASCII))
    let page = try folder.write(Data(run.output.utf8), to: "ozu.1")
    for section in ["EXAMPLES", "ENVIRONMENT", "FILES"] { #expect(run.output.contains("\n.SH \(section)\n")) }
    guard let warnings = try ProgramRun(named: "groff", ["-ww", "-man", "-Tutf8", "-z", page]) else { return }
    #expect(warnings.status == 0 && warnings.output.isEmpty, "\(warnings.output)")
  }

  @Test("an unknown shell gets a hint")
  func unknown() async {
    let run = await CommandRun("completions", "bsh")
    #expect(run.status == .wrongUsage && run.errors.contains("Did you mean \"bash\"?"))
  }
}
