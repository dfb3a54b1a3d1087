import * as fc from "fast-check"

/**
 * Any character but a lone surrogate, as `unit: "binary"` of fast-check, which computes for most of
 * a second in each process before its first draw.
 */
export const character: fc.Arbitrary<string> = fc
  .oneof(
    { arbitrary: fc.integer({ min: 0, max: 0x7f }), weight: 2 },
    fc.integer({ min: 0x80, max: 0xd7ff }),
    fc.integer({ min: 0xe000, max: 0x10ffff })
  )
  .map((code) => String.fromCodePoint(code))
