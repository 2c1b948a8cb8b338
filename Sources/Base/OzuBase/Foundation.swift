// The system as every module may use it: the C library, and of Foundation `Data`, `URL`, `Date`, `FileManager` and what else needs
// no tables of languages. Every module imports this one instead of Foundation, whose tables are 34 MB of a program that is
// linked statically. In this module every file has them.
#if canImport(FoundationEssentials)
  @_exported import FoundationEssentials
#else
  @_exported import Foundation
#endif
// Each that is there: the check for Apple platforms has a stand-in for Darwin beside the C library of its machine.
#if canImport(Darwin)
  @_exported import Darwin
#endif
#if canImport(Glibc)
  @_exported import Glibc
#elseif canImport(Musl)
  @_exported import Musl
#endif
