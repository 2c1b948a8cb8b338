import Ozu

/// A few colours for a picture, by median cut (Heckbert, "Color Image Quantization for Frame Buffer Display", 1982).
///
/// Colours are counted with five bits a channel. The box with the largest product of pixels and longest side is cut at the
/// median of its pixels, until there are enough boxes; each becomes the mean of its pixels. Pixels with an alpha below
/// one half are left out.
struct ColorPalette {
  struct Entry {
    let color: Pixel
    /// The number of pixels that have it as their entry.
    let count: Int
  }

  /// The colours, the most frequent first.
  let entries: [Entry]
  /// For each colour of five bits a channel, its entry.
  private var indices: [UInt8]

  private struct Bin {
    var red = 0
    var green = 0
    var blue = 0
    var count = 0
  }

  /// Makes a palette of at most `maximumCount` colours, 1 to 256.
  ///
  /// - Complexity: O(pixels + bins × colours).
  init(_ bitmap: BGRABitmap, maximumCount: Int) {
    precondition((1...256).contains(maximumCount), "a palette has 1 to 256 colours")
    var bins = [Bin](repeating: Bin(), count: 1 << 15)
    for y in 0..<bitmap.size.height {
      bitmap.withRow(y) { row in
        for x in row.indices {
          let pixel = row[x]
          guard pixel.alpha >= 128 else { continue }
          let index = Self.bin(of: pixel)
          bins[index].red += Int(pixel.red)
          bins[index].green += Int(pixel.green)
          bins[index].blue += Int(pixel.blue)
          bins[index].count += 1
        }
      }
    }
    let used = bins.indices.filter { bins[$0].count > 0 }
    var boxes = used.isEmpty ? [] : [Box(used, bins)]
    while boxes.count < maximumCount {
      guard let widest = boxes.indices.max(by: { boxes[$0].weight < boxes[$1].weight }),
        boxes[widest].weight > 0
      else { break }
      let (low, high) = boxes[widest].halves(bins)
      boxes[widest] = low
      boxes.append(high)
    }
    boxes.sort { $0.count > $1.count }
    entries = boxes.map { $0.entry(bins) }
    indices = [UInt8](repeating: 0, count: bins.count)
    for (index, box) in boxes.enumerated() {
      for bin in box.bins { indices[bin] = UInt8(index) }
    }
  }

  /// The entry for a colour of the picture.
  func index(of pixel: Pixel) -> Int { Int(indices[Self.bin(of: pixel)]) }

  private static func bin(of pixel: Pixel) -> Int {
    Int(pixel.red >> 3) << 10 | Int(pixel.green >> 3) << 5 | Int(pixel.blue >> 3)
  }

  /// Some bins, and the channel in which they lie farthest apart.
  private struct Box {
    let bins: [Int]
    let count: Int
    private let shift: Int
    /// The number of pixels times the length of the longest side: 0 when there is nothing to cut.
    let weight: Int

    init(_ bins: [Int], _ all: [Bin]) {
      self.bins = bins
      count = bins.reduce(0) { $0 + all[$1].count }
      let sides = [10, 5, 0].map { shift in
        let values = bins.map { $0 >> shift & 31 }
        return (shift: shift, length: (values.max() ?? 0) - (values.min() ?? 0))
      }
      let longest = sides.max { $0.length < $1.length } ?? (0, 0)
      shift = longest.shift
      weight = count * longest.length
    }

    /// Two boxes with about half of the pixels each; none is empty.
    func halves(_ all: [Bin]) -> (Box, Box) {
      let shift = shift
      let sorted = bins.sorted { ($0 >> shift & 31, $0) < ($1 >> shift & 31, $1) }
      var (sum, end) = (0, 0)
      while end < sorted.count - 1, end == 0 || sum + all[sorted[end]].count <= count / 2 {
        sum += all[sorted[end]].count
        end += 1
      }
      return (Box(Array(sorted[..<end]), all), Box(Array(sorted[end...]), all))
    }

    func entry(_ all: [Bin]) -> Entry {
      let sum = bins.reduce(into: Bin()) { sum, bin in
        sum.red += all[bin].red
        sum.green += all[bin].green
        sum.blue += all[bin].blue
      }
      func mean(_ value: Int) -> UInt8 { UInt8((value + count / 2) / count) }
      return Entry(
        color: Pixel(red: mean(sum.red), green: mean(sum.green), blue: mean(sum.blue)), count: count)
    }
  }
}

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
