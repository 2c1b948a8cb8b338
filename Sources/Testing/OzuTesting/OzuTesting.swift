/// Stand-ins for tests, beside what demonstrations use too: a real server on this machine, pictures with a number, the peak of
/// memory.
@_exported import OzuDemonstration
