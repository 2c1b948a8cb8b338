import Testing

@testable import OzuCaching

#if os(Linux)
  @Suite("The memory budget")
  struct MemoryBudgetTests {
    private static let machine = "MemTotal:        8388608 kB\nMemFree:         1 kB\n"

    private func budget(_ files: [String: String]) -> MemoryBudget {
      MemoryBudget { path in path == "/proc/meminfo" ? Self.machine : files[path] }
    }

    @Test("without control groups it is the machine's memory, and the default limit at most 768 MB")
    func machine() {
      #expect(budget([:]).byteCount == 8 << 30)
      #expect(budget([:]).defaultCostLimit == 768 << 20)
    }

    @Test(
      "the lowest limit counts, of either version and at any level",
      arguments: [
        (["/proc/self/cgroup": "0::/a/b\n", "/sys/fs/cgroup/a/b/memory.max": "1073741824\n"], 1 << 30),
        (
          [
            "/proc/self/cgroup": "0::/a/b\n", "/sys/fs/cgroup/a/b/memory.max": "max\n",
            "/sys/fs/cgroup/a/memory.max": "268435456\n",
          ], 256 << 20
        ),
        (["/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/memory.max": "536870912\n"], 512 << 20),
        (
          [
            "/proc/self/cgroup": "4:cpu:/x\n9:memory,hugetlb:/docker/1\n",
            "/sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes": "134217728\n",
          ], 128 << 20
        ),
        (
          [
            "/proc/self/cgroup": "9:memory:/docker/1\n",
            "/sys/fs/cgroup/memory/memory.limit_in_bytes": "67108864\n",
          ], 64 << 20
        ),
        (
          [
            "/proc/self/cgroup": "9:memory:/\n",
            "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
          ], 8 << 30
        ),
        (["/proc/self/cgroup": "nonsense\n::\n0::\n"], 8 << 30),
      ] as [([String: String], Int)])
    func groups(files: [String: String], expected: Int) {
      #expect(budget(files).byteCount == expected)
      #expect(budget(files).defaultCostLimit == min(expected / 100 * 15, 768 << 20))
    }

    @Test("this machine has a budget")
    func here() {
      #expect(MemoryBudget.system.byteCount > 16 << 20)
      #expect(MemoryCacheConfiguration().costLimit == MemoryBudget.system.defaultCostLimit)
    }

    @Test("without information about the machine the budget is 2 GB")
    func silent() {
      #expect(MemoryBudget(reading: { _ in nil }).byteCount == 2 << 30)
    }
  }
#endif
