import OzuBase

/// A command in the form that a Redis server reads: an array of bulk strings. Arguments have lengths, so an
/// argument cannot become a command.
struct RESPCommand: Hashable, Sendable {
  enum Argument: Hashable, Sendable, ExpressibleByStringInterpolation {
    case text(String)
    case number(Int)
    case data(Data)

    init(stringLiteral text: String) { self = .text(text) }
  }

  let bytes: [UInt8]

  init(_ arguments: Argument...) { self.init(arguments) }

  init(_ arguments: [Argument]) {
    var bytes: [UInt8] = []
    Self.append("*\(arguments.count)", to: &bytes)
    for argument in arguments {
      switch argument {
      case .text(let text): Self.append(text.utf8, to: &bytes)
      case .number(let number): Self.append(String(number).utf8, to: &bytes)
      case .data(let data): Self.append(data, to: &bytes)
      }
    }
    self.bytes = bytes
  }

  private static func append(_ argument: some Collection<UInt8>, to bytes: inout [UInt8]) {
    append("$\(argument.count)", to: &bytes)
    bytes.append(contentsOf: argument)
    append("", to: &bytes)
  }

  private static func append(_ line: String, to bytes: inout [UInt8]) {
    bytes.append(contentsOf: line.utf8)
    bytes.append(UInt8(ascii: "\r"))
    bytes.append(UInt8(ascii: "\n"))
  }
}
