/**
 * Measures the CPU time of a callback of 64 KiB, by the shape of its body: nobody may keep a
 * receiver busy with few bytes.
 */
import { createHmac } from "node:crypto"
import { search, secret } from "./callbacks.ts"
import { type Bench, type Costs, measure } from "./harness.ts"
import { verifier } from "./verify.ts"

/** The most bytes of a callback, and the most microseconds for one. */
const [most, limit] = [65_536, 1000]

const signed = {
  transactionId: "100000001",
  accountId: "1001",
  amount: "10.50",
  currency: "EUR",
  transactionStatus: "PENDING"
}
const checksum = createHmac("sha256", secret).update("1001|10.50|EUR|100000001").digest("base64")
const head = `${JSON.stringify(signed).slice(0, -1)},"more":`

const filled = (open: string, part: string, close: string, count = Infinity): string => {
  const room = most - head.length - open.length - close.length - 1
  const copies = Math.min(count, Math.floor((room + 1) / (part.length + 1)))
  return `${open}${Array.from({ length: copies }, () => part).join(",")}${close}`
}

const text = (part: string): string =>
  `"${part.repeat(Math.floor((most - head.length - 3) / Buffer.byteLength(part)))}"`

const members = (value: string, length: number): string => {
  const name = (at: number) => `"${String(at).padStart(length, "k")}":${value}`
  return `{${Array.from({ length: 950 }, (_, at) => name(at)).join(",")}}`
}

const shapes: Readonly<Record<string, string>> = {
  "one plain text": text("x"),
  "one text of escapes": text(String.raw`\u0041`),
  "one text of short escapes": text(String.raw`\n`),
  "one text of escaped quotes": text(String.raw`\"`),
  "one text of surrogate pairs": text(String.raw`\ud83d\ude00`),
  "one text of two bytes a character": text("é"),
  "one text of four bytes a character": text("😀"),
  "one number of 64 KiB": "1".repeat(most - head.length - 2),
  "990 long numbers": filled("[", `0.${"1".repeat(60)}`, "]", 990),
  "950 members": members("1", 40),
  "950 members with numbers": members(`1.${"0".repeat(30)}`, 20),
  "950 members with texts": members(`"${"x".repeat(40)}"`, 10),
  "950 equal names in 475 objects": filled("[", '{"a":1,"b":2}', "]", 320),
  "320 empty arrays": filled("[", "[]", "]", 320),
  "30 levels of 30 arrays": filled("[", `${"[".repeat(30)}${"]".repeat(30)}`, "]", 30),
  "5,000 empty arrays": filled("[", "[]", "]"),
  "10,000 numbers": filled("[", "1", "]"),
  "6,000 members": filled("{", '"a":1', "}"),
  "64 levels and more": "[".repeat(20_000) + "]".repeat(20_000),
  "white space": `1${" ".repeat(most - head.length - 4)}`,
  "a text without an end": `"${"x".repeat(most - head.length - 3)}`
}

const incoming = (value: string) => ({
  method: "POST",
  search,
  contentType: "application/json",
  contentEncoding: undefined,
  checksum,
  body: Buffer.from(`${head}${value}${value.endsWith("x") ? "" : "}"}`)
})

const costliest = "the costliest of them"

export const bodies: Bench = {
  what: "a callback of 64 KiB verified, by its shape",
  goals: [{ variant: costliest, atMost: 1 }],
  run: async (): Promise<Costs> => {
    const variants = Object.entries(shapes).map(([name, value]) => {
      const request = incoming(value)
      return {
        name,
        check: () => {
          if (request.body.length > most) throw new Error(`${name} is larger than 64 KiB`)
        },
        run: (times: number) => {
          for (let time = 0; time < times; time++) verifier.verify({ ...request })
        }
      }
    })
    const { of } = await measure(variants, { synchronous: true, rounds: 9, warmUp: 300 })
    const shares = Array.from(of, ([name, costs]): [string, Array<number>] => [
      name,
      costs.map((cost) => cost / limit)
    ])
    const worst = (round: number) => Math.max(...shares.map(([, costs]) => costs[round] ?? 0))
    const rounds = Array.from({ length: shares[0]?.[1].length ?? 0 }, (_, round) => worst(round))
    return { unit: "share of 1 ms", of: new Map([...shares, [costliest, rounds]]) }
  }
}
