import Foundation
import OzuTesting
import Testing

@testable import OzuCLI

@Suite("Wrong usage gets status 2 and a hint")
struct UsageTests {
  @Test(
    "wrong usage",
    arguments: [
      (["lod", "a.jpg"], "Did you mean \"ozu load\"?"), (["load"], "Usage: ozu load"),
      (["load", "a.jpg", "--sise", "3"], "Did you mean --size?"), (["load", "a.jpg", "-z"], "no option -z"),
      (["load", "a.jpg", "--size"], "needs a value"), (["load", "a.jpg", "--size", "3x2x1"], "320x240, 800"),
      (["load", "a.jpg", "--size", "x"], "--size x: a size is needed"),
      (["load", "a.jpg", "--flip", "--size", "50%"], "must be the first step"),
      (["load", "a.jpg", "--size", "0%"], "from 0.1% to 1000%"),
      (["set", "a.jpg", "--size", "50%"], "--widths"),
      (["load", "a.jpg", "--width", "80", "--mode", "cover"], "a width and a height"),
      (["load", "a.jpg", "--size", "50%", "--mode", "none"], "a width and a height"),
      (["load", "a.jpg", "--max-bytes", "100kBit"], "100kB or 1GB"),
      (["load", "a.jpg", "-s", "9x9", "--mode", "crop"], "Did you mean \"cover\"?"),
      (["load", "a.jpg", "--max-bytes", "1e30GB"], "100kB"),
      (["load", "a.jpg", "--max-bytes", "99999999999GB"], "100kB"),
      (["load", "a.jpg", "--size", "0x10"], "from 1 to"),
      (["load", "a.jpg", "--size", "-4x10"], "from 1 to"),
      (["load", "a.jpg", "--size", "9x9", "--mode", "covr"], "Did you mean \"cover\"?"),
      (["load", "a.jpg", "--mode", "cover"], "needs a size"), (["load", "a.jpg", "--crop"], "needs a value"),
      (["load", "a.jpg", "--crop", "9"], "--crop 9: a rectangle, a size or proportions are needed"),
      (["load", "a.jpg", "--crop", "9x9+1"], "640x360+10+20"),
      (["load", "a.jpg", "--crop", "9x9+1+-1"], "640x360+10+20"),
      (["load", "a.jpg", "--crop", "0x9"], "--crop 0x9: both sides must be from 1 to 65535"),
      (["load", "a.jpg", "--crop", "9x9,here"], "a place is center, top"),
      (["load", "a.jpg", "--crop", "0:9"], "16:9"), (["load", "a.jpg", "--crop", "1:1,top,left"], "16:9"),
      (["load", "a.jpg", "--pad", "9x9,puce"], "one colour (#rgb, #rgba"),
      (["load", "a.jpg", "--tint", "red,puce"], "Add \",template\""),
      (["load", "a.jpg", "--pad", "9x9,lihgtblue"], "Did you mean \"lightblue\"?"),
      (["load", "a.jpg", "--pad", "9x9,botom"], "Did you mean \"bottom\"?"),
      (["load", "a.jpg", "--tint", "Orang"], "Did you mean \"orange\"?"),
      (["frames", "a.gif", "--frame", "0", "-o", "x.png"], "from 1 to 1000000 is needed"),
      (["frames", "a.gif", "-o", "f/"], "For example: -o 'f/{name}-{index}.{ext}'"),
      (["frames", "a.gif", "--frame", "1", "-o", "/tmp"], "For example: -o /tmp/frame.png"),
      (["load", "a.jpg", "--trim=300"], "--trim 300: a whole number from 0 to 255 is needed"),
      (["load", "a.jpg", "--trim=1.5"], "a whole number from 0 to 255"),
      (["load", "a.jpg", "--rotate", "450"], "--rotate 450: a number from -360 to 360 is needed"),
      (["load", "a.jpg", "--rotate", "45,puce"], "a colour is needed"),
      (["load", "a.jpg", "--rotate", "left"], "Did you mean --rotate 270?"),
      (["load", "a.jpg", "-s", "9x9", "--mode", "fill"], "Did you mean \"stretch\"?"),
      (["load", "a.jpg", "--redact", "9x9+1+1,lihgtblue"], "Did you mean \"lightblue\"?"),
      (["load", "a.jpg", "--redact", "9x9+1+1,0"], "from 1 to 65535 is needed"),
      (["load", "a.jpg", "--round", "9,2,lihgtblue"], "Did you mean \"lightblue\"?"),
      (["load", "a.jpg", "--format", "tif"], "TIFF can be read and not written"),
      (["clean", "a.jpg", "--keep", "orientaton", "-o", "b.jpg"], "Did you mean \"orientation\"?"),
      (["thumbnail", "a.jpg", "--sizes", "larg"], "Did you mean \"large\"?"),
      (["load", "a.jpg", "--redact", "9x9"], "--redact 9x9: rectangles are needed"),
      (["load", "a.jpg", "--redact", "9x9+1,red"], "rectangles are needed"),
      (["load", "a.jpg", "--overlay", "none.png,x=ten"], "--overlay x=ten: a number from -65535 to 65535"),
      (["load", "a.jpg", "--overlay", "none.png,mode=add"], "it can be normal, multiply"),
      (["load", "a.jpg", "--blur", "nan"], "--blur nan: a number from 0 to 1000 is needed"),
      (["load", "a.jpg", "--sharpen=99"], "--sharpen 99: a number from 0 to 10"),
      (["load", "a.jpg", "--adjust", "hue=3"], "brightness, contrast and saturation can be set"),
      (["load", "a.jpg", "--adjust", "contrast=-1"], "--adjust -1: a number from 0 to 10"),
      (["load", "a.jpg", "--tint", "#12345"], "--tint #12345: a colour is needed: #rgb"),
      (["load", "a.jpg", "--tint", "#ff0,templ"], "a colour is needed"),
      (["load", "a.jpg", "--round", "12,2"], "the width of a line and its colour"),
      (["load", "a.jpg", "--round", "-1"], "--round -1: a number from 0 to 65535"),
      (["load", "a.jpg", "--watermark", "none.png,top,0.5"], "--watermark none.png: "),
      (["load", "a.jpg", "--watermark", "none.png,2"], "--watermark 2: a number from 0 to 1"),
      (["load", "a.jpg", "-o", "{nam}.jpg"], "Did you mean {name}?"),
      (["load", "a.jpg", "-o", "{year}.jpg"], "{name}, {dir}, {index}"),
      (["load", "a.jpg", "-o", "{name"], "is not matched"),
      (["load", "a.jpg", "-o", "a}.jpg"], "is not matched"),
      (["load", "a.jpg", "-o", "{name}/"], "the name of a file must follow"),
      (["load", "a.jpg", "-o", "{name}.bmp"], ".bmp cannot be written"),
      (["load", "a/p.jpg", "b/p.jpg", "-o", "{name}.{ext}"], "would both be p.{ext}"),
      (["load", "a/p.jpg", "b/p.jpg", "-o", "{name}-{width}.png"], "would both be p-{width}.png"),
      (["load", "a.jpg", "-o", "b.jpg", "-f", "png"], "the name b.jpg ends in .jpg"),
      (["load", "a.jpg", "-o", "b.HEIC", "-f", "png"], "--force writes it with that name"),
      (["load", "a.jpg", "-o", "{name}.jpg", "-f", "png"], "ends in .jpg"),
      (["load", "a.jpg", "-j", "0"], "from 1 to 64"),
      (["load", "a.jpg", "--quiet", "--json"], "cannot be used together"),
      (["info", "a.jpg", "--csv", "-p"], "--csv and --pixels do not go together"),
      (["info", "a.jpg", "--format", "{name}", "--all"], "--format and --all do not go together"),
      (["load", "a.jpg", "--no-cache", "--cache", "x"], "cannot be used together"),
      (["load", "/"], "/: this is a folder"), (["load", "file:///"], "-r takes the pictures in it"),
      (["load", "a.jpg", "--quality", "101"], "from 0 to 100"),
      (["load", "a.jpg", "--quality=x"], "from 0 to 100"),
      (["load", "a.jpg", "-q", "80,jpeg=101"], "from 0 to 100"),
      (["load", "a.jpg", "-q", "80,"], "from 0 to 100"),
      (["load", "a.jpg", "-q", "png=80"], "\"png\" is no format with a quality"),
      (["set", "a.jpg", "-q", "jpeg=80,jpg=70"], "one format has two values"),
      (["load", "a.jpg", "-q", "80,70"], "one format has two values"),
      (["load", "a.jpg", "--format", "bmp"], "jpeg"),
      (["load", "a.jpg", "-o", "b.bmp"], ".bmp cannot be written"),
      (["load", "a.jpg", "--json=1"], "takes no value"), (["cache"], "Usage: ozu cache"),
      (["demo", "x"], "Usage: ozu demo [OPTION…]"), (["demo", "-o", "a.jpg"], "the contact sheet is a PNG"),
      (["cache", "stat"], "Did you mean \"ozu cache stats\"?"),
      (["cache", "stats", "x"], "one argument too many"),
      (["cache", "stats", "--to", "5"], "can only be used with trim"),
      (["load", "-", "/dev/stdin"], "standard input is one source"),
      (["load", "a.jpg", "b.jpg", "-o", "-"], "several results need a folder"),
      (["load", "a.jpg", "-o", "-", "--trace", "-"], "the result of -o goes there"),
      (["load", "a.jpg", "-o", "caf\u{FFFD}.png"], "it is not UTF-8"),
      (["set", "a.jpg", "--cache=caf\u{FFFD}"], "it is not UTF-8"),
      (["load", "a.jpg", "b.jpg", "-o", "both.jpg"], "-o both.jpg: several results need a folder"),
      (["load", "a.jpg", "b.jpg", "-o", "out/both.HEIC"], "-o out/both.HEIC: several results need a folder"),
      (["set", "a.jpg", "-o", "set.webp"], "-o set.webp: several results need a folder"),
      (["load", "a.jpg", "--trim", "20", "-o", "b.png"], "Did you mean --trim=20?"),
      (["load", "--sharpen", "1.5,2", "a.jpg"], "Did you mean --sharpen=1.5,2?"),
      (["set", "a.jpg", "--trim", "0"], "0: no such file"),
      (["load"], "load needs SOURCE…"), (["compare", "a.jpg"], "compare needs ORIGINAL COPY"),
      (["load"], "\"ozu help load\" has examples"), (["clean", "a.jpg"], "For example: ozu clean a.jpg -o"),
      (["convert", "a.jpg", "b.png"], "Did you mean \"ozu load\"?"),
      (["-v"], "a command must come before -v"),
      (["identify", "a.jpg"], "Did you mean \"ozu info\"?"), (["load", "--hlep"], "Did you mean --help?"),
      (["load", "a.jpg", "--output-dir", "x"], "Did you mean --output?"),
      (["load", "a.jpg", "320x240", "-o", "b.jpg"], "Did you mean --size 320x240?"),
      (["load", "a.jpg", "--size", "9x9!"], "--mode stretch makes exactly the size"),
      (["load", "a.jpg", "-output", "b.jpg"], "Did you mean --output?"),
      (["load", "a.jpg", "-resize", "50%"], "Did you mean --size?"),
      (["load", "a.jpg", "--overwrite"], "Did you mean --overwrite-sources?"),
      (["load", "a.jpg", "--strip"], "Did you mean --metadata?"),
      (["load", "a.jpg", "b.jpg", "-o", ""], "--output: a name is needed"),
      (["set", "a.jpg", "--output="], "of a variable that is not set"),
      (["cache", "clear", "--cache", ""], "--cache: a name is needed"),
      (["load", "a.jpg", "50%"], "Did you mean --size 50%?"), (["load", ""], "a source without a name"),
      (["compare", "a.jpg", ""], "a source without a name"),
      (["load", "a.jpg", "-o", "https://example.com/b.jpg"], "not to addresses"),
      (["set", "a.jpg", "-o", "HTTP://example.com/"], "not to addresses"),
      (["-V", "extra"], "extra: one argument too many"),
      (["--version", "extra"], "extra: one argument too many"), (["version", "-v"], "one argument too many"),
      (["help", "load", "extra"], "extra: one argument too many"),
      (["help", "cahce"], "Did you mean \"ozu cache\"?"), ([], "Usage: ozu COMMAND"),
    ] as [([String], String)])
  func wrong(_ arguments: [String], _ message: String) async {
    let run = await CommandRun(arguments)
    #expect(run.status == .wrongUsage)
    #expect(run.errors.contains(message), "\(run.errors)")
    #expect(run.output.isEmpty)
  }

  @Test("help of each command names its options", arguments: Tool.names)
  func help(_ name: String) async throws {
    let command = try #require(Tool.commands.first { $0.specification.name == name })
    for arguments in [["help", name], [name, "--help"], [name, "-h"]] {
      let run = await CommandRun(arguments)
      #expect(run.status == .done)
      for option in command.specification.options { #expect(run.output.contains("--\(option.name)")) }
      let long = run.output.split(separator: "\n").filter { $0.count > 80 }
      #expect(long.isEmpty)
    }
    let examples = command.specification.examples
    #expect((1...5).contains(examples.count) && examples.allSatisfy { $0.line.contains("ozu \(name)") })
    let overview = await CommandRun("help").output
    #expect(overview.contains(command.specification.summary))
    #expect(overview.split(separator: "\n").allSatisfy { $0.count <= 80 })
    #expect(overview.contains("\nReads:  AVIF") && overview.contains("\nWrites: "))
    #expect(await CommandRun("help", "help").output == overview)
  }

  @Test("behind -- stand names of files, not a question for help", arguments: ["-h", "--help"])
  func fileBehindDashes(_ name: String) async {
    let run = await CommandRun("info", "--no-cache", "--", name)
    #expect(run.status == .failed && run.errors.contains("\(name): no such file"), "\(run.errors)")
  }

  @Test("the synopsis of each command has all its options", arguments: Tool.names)
  func synopsis(_ name: String) throws {
    let specification = try #require(Tool.commands.first { $0.specification.name == name }).specification
    for option in specification.options {
      #expect(Self.names(option).contains { specification.synopsis.contains($0) }, "--\(option.name)")
    }
  }

  @Test("the synopsis on the page about the command line is the one of the help", arguments: Tool.names)
  func page(_ name: String) throws {
    let file = Repository.url("Documentation/command-line.md")
    let specification = try #require(Tool.commands.first { $0.specification.name == name }).specification
    #expect(
      try String(contentsOf: file, encoding: .utf8).contains("\n" + HelpText.synopsis(specification) + "\n"))
  }

  /// The ways to write an option in a synopsis.
  private static func names(_ option: OptionSpecification) -> [String] {
    let letters = option.letter.map { ["[-\($0)]", "[-\($0) "] } ?? []
    return ["--\(option.name)]", "--\(option.name) ", "--\(option.name)[="] + letters
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

  @Test("a lone dash, and everything after two dashes, are arguments")
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

  @Test(
    "the word that was meant has at most a third of its letters more, less or others",
    arguments: [
      ("lsiten", "listen"), ("lis", nil), ("list", "listen"), ("listener", "listen"), ("listeners", nil),
      ("lod", "load"), ("loaded", nil), ("", nil), (String(repeating: "a", count: 100_000), nil),
    ])
  func closest(_ word: String, _ meant: String?) {
    #expect(Suggestion.closest(to: word, among: ["load", "listen"]) == meant)
  }
}
