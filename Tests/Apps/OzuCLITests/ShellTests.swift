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
      #expect(fish.contains("__ozu_command \(name)'\(letter) -l \(option.name) "))
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

  /// Lines, and the words that fish and zsh offer for the last word of each. fish offers a value with its option, and zsh only the
  /// word behind the last comma.
  private static let lines: [(line: String, fish: String, zsh: String)] = [
    ("ozu inf", "info", "info"), ("ozu --ver", "--version", "--version"),
    ("ozu load --mod", "--mode", "--mode"), ("ozu load --hel", "--help", "--help"),
    ("ozu load -m st", "stretch", "stretch"), ("ozu load --mode=st", "--mode=stretch", "stretch"),
    ("ozu load -m no load -m ou", "outside", "outside"), ("ozu cache cl", "clear", "clear"),
    ("ozu set --formats web", "webp", "webp"), ("ozu set --formats=png,web", "--formats=png,webp", "webp"),
    ("ozu clean --keep orientation,all", "orientation,all-but-place", "all-but-place"),
    ("ozu load --cache fol", "folder/", "folder"), ("ozu load --cache=fol", "--cache=folder/", "folder"),
    ("ozu load --cache=", "--cache=folder/", "folder"),
    ("ozu load --watermark a", "a picture.png", "a\\ picture.png"),
    ("ozu load a", "a picture.png", "a\\ picture.png"),
    ("ozu help compl", "completions", "completions"), ("ozu completions z", "zsh", "zsh"),
    ("ozu info load --che", "--check", "--check"), ("ozu load --size ", "", ""),
  ]

  /// A folder with a picture, a folder and the script of a shell.
  private static func folder(_ shell: String, _ name: String) async throws -> Folder {
    let folder = try Folder()
    try folder.write(Data(), to: "a picture.png")
    try FileManager.default.createDirectory(
      at: folder.url.appending(path: "folder"), withIntermediateDirectories: true)
    try folder.write(Data(await CommandRun("completions", shell).output.utf8), to: name)
    return folder
  }

  @Test("fish completes commands, options, words and files, if it is installed")
  func fish() async throws {
    let folder = try await Self.folder("fish", "script")
    let lines = Self.lines.map { "echo (complete -C \($0.line.singleQuoted) | string join '|')" }
    let command = "cd \(folder.path("").singleQuoted); source ./script; " + lines.joined(separator: "; ")
    guard let result = try ProgramRun(named: "fish", ["--no-config", "-c", command]) else { return }
    let answers = result.output.split(separator: "\n", omittingEmptySubsequences: false)
    try #require(answers.count >= Self.lines.count, "\(result.output)")
    for (line, answer) in zip(Self.lines, answers) {
      let words = answer.split(separator: "|").map { $0.prefix { $0 != "\t" } }
      #expect(words.joined(separator: "|") == line.fish, "\(line.line)")
    }
  }

  @Test("fish explains each word of an option on its own")
  func explanations() async {
    let script = await CommandRun("completions", "fish").output
    #expect(script.contains(#"stretch\\t\'exactly the size, whatever the proportions\'"#))
  }

  @Test("zsh completes commands, options, words and files, if it is installed")
  func zsh() async throws {
    let folder = try await Self.folder("zsh", "_ozu")
    let lines = Self.lines.map { $0.line.singleQuoted }.joined(separator: " ")
    let command = "cd \(folder.path("").singleQuoted)\nset -- \(lines)\n\(Self.zshSession)"
    let script = try folder.write(Data(command.utf8), to: ".session")
    guard let result = try ProgramRun(named: "zsh", ["-f", script]) else { return }
    let answers = result.output.split(separator: "\n", omittingEmptySubsequences: false)
    try #require(answers.count >= Self.lines.count, "\(result.output)")
    for (line, answer) in zip(Self.lines, answers) { #expect(answer == line.zsh, "\(line.line)") }
  }

  /// A session of zsh in a terminal of its own, which has no other settings: each argument is typed, and a key prints the words
  /// that the completion system would offer, instead of offering them.
  private static let zshSession = #"""
    zmodload zsh/zpty
    zpty z zsh -f -i
    # What comes between two signs, within ten seconds.
    answer() {
      local out chunk
      repeat 500; do
        if zpty -r -t z chunk; then out+=$chunk; else sleep 0.02; fi
        [[ $out = *'<'$1*'>'* ]] && break
      done
      out=${${out##*'<'}%%'>'*}
      print -r -- ${out//$'\r'/}
    }
    zpty -w z 'PS1= RPS1= PS2=; stty -echo; unset zle_bracketed_paste; autoload -Uz compinit; compinit -u -D'
    zpty -w z 'fpath=(. $fpath); autoload -Uz _ozu; compdef _ozu ozu; bindkey "^U" kill-whole-line'
    zpty -w z 'words() {
      local -aU got
      compadd() {
        local -a found
        if [[ ${@[1,(i)(-|--)]} != *-[OAD]* ]]; then builtin compadd -A found "$@"; got+=("${(@)found}"); fi
        builtin compadd "$@"
      }
      _main_complete
      unfunction compadd
      print -r -- "<${(j:|:)got}>"
      compstate[insert]= compstate[list]=
    }
    zle -C words complete-word words; bindkey "^X" words; print -r -- "<rea""dy>"'
    answer ready > /dev/null
    for line in "$@"; do
      zpty -w -n z $'\x15'"$line"$'\x18'
      answer
    done
    zpty -d z
    """#

  @Test("groff has no warnings about the manual page")
  func manual() async throws {
    let folder = try Folder()
    let run = await CommandRun("manual")
    #expect(run.status == .done && run.output.unicodeScalars.allSatisfy(\.isASCII))
    let page = try folder.write(Data(run.output.utf8), to: "ozu.1")
    for section in ["EXAMPLES", "ENVIRONMENT", "FILES"] { #expect(run.output.contains("\n.SH \(section)\n")) }
    // Lines of tables, of which escapes take one column each.
    let rows = run.output.split(separator: "\n").filter { $0.hasPrefix("  ") }
    let long = rows.map { $0.replacing(/\\(?:\(..|\[u[0-9A-F]+\]|.)/, with: "x") }.filter { $0.count > 76 }
    #expect(rows.count > 50 && long.isEmpty, "\(long)")
    for device in ["utf8", "ascii"] {
      let groff = try ProgramRun(named: "groff", ["-ww", "-man", "-T" + device, "-z", page])
      guard let groff else { return }
      #expect(groff.status == 0 && groff.output.isEmpty, "\(groff.output)")
    }
  }

  @Test("an unknown shell gets a hint")
  func unknown() async {
    let run = await CommandRun("completions", "bsh")
    #expect(run.status == .wrongUsage && run.errors.contains("Did you mean \"bash\"?"))
  }
}
