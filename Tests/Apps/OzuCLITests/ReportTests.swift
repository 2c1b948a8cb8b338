import Foundation
import Ozu
import OzuTesting
import Testing

@testable import OzuCLI

@Suite("Reports for people")
struct ReportTests {
  @Test(
    "on a terminal a line fits its width; the ends of long names stay",
    arguments: [("a-long-name-", 9), ("漢字かな", 14), ("👩‍🔬e\u{301}", 10)])
  func width(part: String, count: Int) async throws {
    let folder = try Folder()
    let name = String(repeating: part, count: count)
    let path = try folder.write(PatternPicture(PixelSize(64, 48)).data(as: .png), to: "\(name)1.png")
    let arguments = ["load", path, "-s", "16", "--no-cache", "-o", folder.path("out/\(name)2.jpg")]
    for lines in [
      await CommandRun(arguments, isTerminal: true).output,
      await CommandRun(["set", path, "-w", "16", "-f", "png", "-o", folder.path("set")], isTerminal: true)
        .output,
      await CommandRun(["clean", path, "-o", folder.path("clean/")], isTerminal: true).output,
    ] {
      #expect(lines.split(separator: "\n").allSatisfy { $0.columnCount <= 80 }, "\(lines)")
      #expect(lines.contains("…") && lines.contains("1.png: "))
    }
    // Programs and files get all of it.
    #expect(await CommandRun(arguments).output.contains("\(path): PNG 64x48, "))
  }

  @Test(
    "columns are those of a terminal",
    arguments: [("abc", 3), ("漢字", 4), ("ｱ", 1), ("Ａ", 2), ("e\u{301}é", 2), ("👩‍🔬", 2), ("한글", 4), ("→…", 2)])
  func columns(text: String, count: Int) {
    #expect(text.columnCount == count)
    #expect(text.prefix(columns: 2).columnCount <= 2 && text.suffix(columns: 1).columnCount <= 1)
  }

  @Test("without -o load says that nothing was written")
  func nothing() async throws {
    let folder = try Folder()
    let path = try folder.write(PatternPicture(PixelSize(64, 48)).data(as: .png), to: "a.png")
    let note = "nothing was written; -o says where results go\n"
    let run = await CommandRun("load", path, "--no-cache")
    #expect(run.output.hasSuffix("\n" + note) && run.errors.isEmpty)
    for arguments in [["-o", folder.path("b.png")], ["--json"], ["--quiet"], ["--dry-run"]] {
      #expect(await !CommandRun(["load", path, "--no-cache"] + arguments).output.contains(note))
    }
  }

  @Test(
    "colours are where the terminal has them and the user wants them",
    arguments: [
      (["TERM": "xterm-256color", "COLORTERM": "truecolor"], true, .all),
      (["TERM": "xterm-256color"], true, .cube),
      (["TERM": "xterm"], true, .few), (["TERM": "xterm-kitty"], true, .all), (["TERM": "dumb"], false, .few),
      (["TERM": "xterm", "NO_COLOR": "1"], false, .few), (["TERM": "xterm", "NO_COLOR": ""], true, .few),
      ([:], true, .all),
    ] as [([String: String], Bool, TerminalColors)])
  func colors(_ environment: [String: String], _ areWanted: Bool, _ colors: TerminalColors) {
    #expect(TerminalColors.areWanted(environment) == areWanted)
    #expect(TerminalColors(environment) == colors)
  }

  @Test(
    "a colour becomes the nearest one that the terminal has",
    arguments: [
      (Pixel(red: 255, green: 0, blue: 0), "38;5;196", "91", "101"),
      (Pixel(red: 130, green: 130, blue: 130), "38;5;244", "90", "100"),
      (Pixel(red: 0, green: 0, blue: 0), "38;5;16", "30", "40"),
      (Pixel(red: 255, green: 255, blue: 255), "38;5;231", "97", "107"),
      (Pixel(red: 100, green: 150, blue: 220), "38;5;68", "94", "104"),
    ])
  func nearest(_ pixel: Pixel, _ cube: String, _ few: String, _ behind: String) {
    #expect(TerminalColors.cube.attribute(of: pixel, isBackground: false) == cube)
    #expect(TerminalColors.few.attribute(of: pixel, isBackground: false) == few)
    #expect(TerminalColors.few.attribute(of: pixel, isBackground: true) == behind)
    let all = TerminalColors.all.attribute(of: pixel, isBackground: true)
    #expect(all == "48;2;\(pixel.red);\(pixel.green);\(pixel.blue)")
  }

  @Test(
    "parts of a line have attributes only with colours, and control characters of names are escaped in both")
  func styles() {
    var line = StyledLine("a\u{1B}[2J: ")
    line.add("b", .strong)
    #expect(!line.text().contains("\u{1B}") && line.text().hasSuffix(": b"))
    #expect(line.text(hasColors: true).hasSuffix(": \u{1B}[1mb\u{1B}[0m"))
    #expect(line.text(hasColors: true).hasPrefix(line.text().dropLast()))
    #expect(
      StyledLine.shortened("abcdefghij", to: 7) == "ab…ghij" && StyledLine.shortened("abc", to: 3) == "abc")
  }
}
