import Ozu

enum TerminalColors: String, CaseIterable, Sendable {
  /// 24 bits.
  case all = "16m"
  /// A cube of 216 colours and 24 greys, beside those of the user.
  case cube = "256"
  /// Those of the user, in two brightnesses.
  case few = "16"

  /// Whether lines of text are coloured: not on a terminal that has no colours, and not if the user wants none (no-color.org).
  static func areWanted(_ environment: [String: String]) -> Bool {
    (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
  }

  /// The colours that the variables of a terminal promise. Terminals with 24 bits say so in `COLORTERM`, or by a name.
  init(_ environment: [String: String]) {
    let name = environment["TERM"] ?? ""
    let saysAll = ["truecolor", "24bit"].contains(environment["COLORTERM"] ?? "")
    let names = ["-direct", "kitty", "alacritty", "foot", "ghostty", "wezterm", "iterm"]
    if saysAll || names.contains(where: name.contains) || environment["WT_SESSION"] != nil {
      self = .all
    } else if name.contains("256color") {
      self = .cube
    } else {
      self = name.isEmpty ? .all : .few
    }
  }

  /// The numbers that set a colour (ECMA-48, SGR), the nearest that there is.
  func attribute(of pixel: Pixel, isBackground: Bool) -> String {
    let channels = [Int(pixel.red), Int(pixel.green), Int(pixel.blue)]
    switch self {
    case .all: return "\(isBackground ? 48 : 38);2;\(channels[0]);\(channels[1]);\(channels[2])"
    case .cube: return "\(isBackground ? 48 : 38);5;\(Self.cubeIndex(of: channels))"
    case .few:
      let index = Self.nearest(to: channels, in: Self.fewColors)
      return "\((index < 8 ? 30 + index : 82 + index) + (isBackground ? 10 : 0))"
    }
  }

  /// The levels of the cube of xterm.
  private static let levels = [0, 95, 135, 175, 215, 255]

  private static func cubeIndex(of channels: [Int]) -> Int {
    func level(_ value: Int) -> Int { value < 48 ? 0 : value < 115 ? 1 : (value - 35) / 40 }
    let cube = channels.map(level)
    let grey = min(max((channels.reduce(0, +) / 3 - 3) / 10, 0), 23)
    let candidates = [cube.map { levels[$0] }, [Int](repeating: 8 + 10 * grey, count: 3)]
    let cubeIndex = 16 + 36 * cube[0] + 6 * cube[1] + cube[2]
    return nearest(to: channels, in: candidates) == 0 ? cubeIndex : 232 + grey
  }

  private static func nearest(to channels: [Int], in colors: [[Int]]) -> Int {
    func distance(_ color: [Int]) -> Int {
      zip(channels, color).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
    }
    return colors.indices.min { distance(colors[$0]) < distance(colors[$1]) } ?? 0
  }

  /// As xterm has them.
  private static let fewColors = [
    [0, 0, 0], [205, 0, 0], [0, 205, 0], [205, 205, 0], [0, 0, 238], [205, 0, 205], [0, 205, 205],
    [229, 229, 229],
    [127, 127, 127], [255, 0, 0], [0, 255, 0], [255, 255, 0], [92, 92, 255], [255, 0, 255], [0, 255, 255],
    [255, 255, 255],
  ]
}
