import { forAll } from "@pawl/test-support/Properties"
import { BodyBuffer } from "@pawl/core/internal/BodyBuffer"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const concat = (chunks: ReadonlyArray<Uint8Array>) =>
  Uint8Array.from(chunks.flatMap((each) => [...each]))

const collect = (lengths: ReadonlyArray<number>, limit = 100_000) => {
  const body = new BodyBuffer(limit)
  for (const length of lengths) body.add(new Uint8Array(length))
  return body.bytes
}

describe("a body", () => {
  it("has the bytes of its chunks up to the limit, and a chunk beyond it is refused", () =>
    forAll(
      [fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 20 }), fc.nat(400)],
      (chunks, limit) => {
        const body = new BodyBuffer(limit)
        const copies = chunks.map((chunk) => chunk.slice())
        const accepted: Array<Uint8Array> = []
        for (const chunk of chunks) {
          const fits = concat([...accepted, chunk]).length <= limit
          expect(body.add(chunk)).toBe(fits)
          if (fits) accepted.push(chunk)
        }
        expect([...body.bytes]).toEqual([...concat(accepted)])
        // The chunks belong to the caller.
        expect(chunks).toEqual(copies)
      }
    ))

  it("has at most its number of chunks", () => {
    const body = new BodyBuffer(10, 2)
    expect([1, 1, 1].map((length) => body.add(new Uint8Array(length)))).toEqual([true, true, false])
    expect(body.bytes.length).toBe(2)
  })

  it("of one chunk is that chunk, and a body without chunks is empty", () => {
    const chunk = Uint8Array.of(1, 2)
    const body = new BodyBuffer(10)
    expect(body.bytes.length).toBe(0)
    body.add(chunk)
    expect(body.bytes).toBe(chunk)
  })

  it("takes 4 KiB, twice its size or its limit of memory", () => {
    const memory = (lengths: ReadonlyArray<number>, limit?: number) =>
      collect(lengths, limit).buffer.byteLength
    expect(memory([1, 1])).toBe(4096)
    expect(memory([1, 1, 4094])).toBe(4096)
    expect(memory([1, 1, 4095])).toBe(2 * 4097)
    expect(memory([1, 2999])).toBe(6000)
    expect(memory([1, 2999], 5000)).toBe(5000)
  })
})
