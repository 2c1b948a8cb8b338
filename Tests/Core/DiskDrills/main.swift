import Foundation
import OzuCaching

// Drills for the disk cache with real processes and real disks. `make drills-disk` runs them all; the tests use the
// worker alone.
//
//   OzuDiskDrills work DIRECTORY COUNT     store COUNT entries (0: until killed)
//   OzuDiskDrills tear DIRECTORY COUNT     the same, each write in pieces
//   OzuDiskDrills visit DIRECTORY COUNT N  load what others load too (0: until killed)
//   OzuDiskDrills drill [KILLS [NAME …]]   all drills, or those with these names; 200 kills by default

let arguments = CommandLine.arguments
switch arguments.dropFirst().first {
case "work" where arguments.count == 4, "tear" where arguments.count == 4:
  try DrillWorker.run(
    directory: arguments[2], count: Int(arguments[3]) ?? 0, tearsWrites: arguments[1] == "tear")
case "visit" where arguments.count == 5:
  try DrillVisitor.run(
    directory: arguments[2], count: Int(arguments[3]) ?? 0, seed: Int(arguments[4]) ?? 0)
case "drill":
  let program = Bundle.main.executablePath ?? arguments[0]
  let drills = DiskDrills(program: program, kills: arguments.count > 2 ? Int(arguments[2]) ?? 200 : 200)
  exit(try drills.run(arguments.dropFirst(3)) ? 0 : 1)
default:
  FileHandle.standardError.write(
    Data(
      "usage: OzuDiskDrills drill [KILLS [NAME ...]] | work|tear DIRECTORY COUNT | visit DIRECTORY COUNT N\n"
        .utf8))
  exit(2)
}
