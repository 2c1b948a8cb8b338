// What every module may use of Foundation: `Data`, `URL`, `Date`, `FileManager` and what else needs no tables of languages.
// Every module imports this one instead of Foundation, whose tables are 34 MB of a program that is linked statically.
#if canImport(FoundationEssentials)
  @_exported import FoundationEssentials
#else
  @_exported import Foundation
#endif
