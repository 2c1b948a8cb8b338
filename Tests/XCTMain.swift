// The beginning of the program of tests, under the name that SwiftPM looks for. Without this file SwiftPM on Linux makes a beginning of its
// own, and reads the editors' index of every test for it, in search of tests of XCTest. There are none, and the builds of `make` have no
// such index.

import Testing

@main
struct Runner {
  static func main() async {
    let arguments = CommandLine.arguments
    // `swift test` starts the program once for each library of tests.
    if let option = arguments.firstIndex(of: "--testing-library"),
      arguments[option...].dropFirst().first == "xctest"
    {
      return
    }
    await Testing.__swiftPMEntryPoint() as Never
  }
}
