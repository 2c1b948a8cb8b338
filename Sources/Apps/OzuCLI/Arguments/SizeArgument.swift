import Ozu

/// The size that a command line asks for, as people write it: `--size 320x240`, `800`, `800x`, `x600` or `50%`, or
/// `--width`, `--height`, `--longest` and `--shortest`.
enum SizeArgument: Equatable {
  /// Inside a box.
  case box(PixelSize)
  /// One side; the other follows from the proportions.
  case width(Int)
  case height(Int)
  /// The shorter side.
  case shortest(Int)
  /// A part of the sides of the picture, above 0.
  case fraction(Double)

  /// The options that set a size. The last one on a command line counts, and a width and a height count together.
  static let options = [
    OptionSpecification(
      name: "size", letter: "s", value: "WxH|N|Wx|xH|N%",
      help: """
        The size to make, in pixels: 320x240 is a box, 800 the longest side, 800x a width, x600 a height, 50% half of each side. \
        The steps are done in the order in which they are given.
        """),
    OptionSpecification(
      name: "width", value: "N", help: "The width to make; the height follows, or is --height."),
    OptionSpecification(
      name: "height", value: "N", help: "The height to make; the width follows, or is --width."),
    OptionSpecification(name: "longest", value: "N", help: "The longer side to make, as --size N."),
    OptionSpecification(name: "shortest", value: "N", help: "The shorter side to make."),
  ]

  static func isName(_ name: String) -> Bool { options.contains { $0.name == name } }

  /// The size of a command line, and the place of the option that decides it; `nil` if none asks for one.
  static func last(in arguments: ParsedArguments) throws(UsageError) -> (size: SizeArgument, index: Int)? {
    guard let index = arguments.given.lastIndex(where: { isName($0.name) }) else { return nil }
    let (name, text) = (arguments.given[index].name, arguments.given[index].value ?? "")
    if name == "size" { return (try SizeArgument(text), index) }
    guard let side = try arguments.integer(name, in: 1...Resize.openSide) else { return nil }
    switch name {
    case "width":
      let height = try arguments.integer("height", in: 1...Resize.openSide)
      return (height.map { .box(PixelSize(side, $0)) } ?? .width(side), index)
    case "height":
      let width = try arguments.integer("width", in: 1...Resize.openSide)
      return (width.map { .box(PixelSize($0, side)) } ?? .height(side), index)
    case "shortest": return (.shortest(side), index)
    default: return (.box(PixelSize(side, side)), index)
    }
  }

  /// Reads the value of `--size`.
  init(_ text: String) throws(UsageError) {
    if text.hasSuffix("%") {
      guard let percent = Double(text.dropLast()), (0.1...1000).contains(percent) else {
        throw UsageError("--size \(text): from 0.1% to 1000% of the picture")
      }
      self = .fraction(percent / 100)
      return
    }
    if let mark = text.last, let option = Self.marks[mark] {
      throw UsageError("--size \(text): there is no \"\(mark)\" in a size", hint: option)
    }
    let sides = text.split(omittingEmptySubsequences: false, whereSeparator: { "xX×".contains($0) })
    func side(_ digits: Substring) throws(UsageError) -> Int {
      guard let side = Int(digits) else { throw Self.wanted("--size \(text): a size is needed") }
      guard (1...Resize.openSide).contains(side) else {
        throw Self.wanted("--size \(text): a side must be from 1 to \(Resize.openSide) pixels")
      }
      return side
    }
    switch sides.count {
    case 1:
      let side = try side(sides[0])
      self = .box(PixelSize(side, side))
    case 2 where sides[0].isEmpty: self = .height(try side(sides[1]))
    case 2 where sides[1].isEmpty: self = .width(try side(sides[0]))
    case 2: self = .box(PixelSize(try side(sides[0]), try side(sides[1])))
    default: throw Self.wanted("--size \(text): a size is needed")
    }
  }

  /// What other tools write behind a size, and its option.
  private static let marks: [Character: String] = [
    "!": "--mode stretch makes exactly the size.",
    "^": "--mode outside covers the size, --mode cover also cuts to it.",
    ">": "Smaller pictures stay as they are, unless --upscale is given.",
  ]

  private static func wanted(_ message: String) -> UsageError {
    UsageError(message, hint: "For example: 320x240, 800 (the longest side), 800x, x600 or 50%")
  }

  /// The recipe of the size in a mode; `nil` for a fraction, whose size depends on the picture.
  func resize(_ sizes: ResizeArguments) throws(UsageError) -> Resize? {
    if case .box(let box) = self {
      return sizes.resize(to: box, sizes.mode.mode, crops: sizes.mode.crops)
    }
    guard sizes.mode.mode == .aspectFit else {
      throw UsageError("--mode needs a width and a height", hint: "For example: --size 320x240 --mode cover")
    }
    return switch self {
    case .width(let width): sizes.resize(to: PixelSize(width, Resize.openSide), .aspectFit, crops: false)
    case .height(let height): sizes.resize(to: PixelSize(Resize.openSide, height), .aspectFit, crops: false)
    case .shortest(let side): sizes.resize(to: PixelSize(side, side), .aspectFill, crops: false)
    case .box, .fraction: nil
    }
  }
}
