/**
 * The documents of transactions, and their rows without defaults and facts.
 */
import { statuses } from "@pawl/core/Status"
import * as Codes from "@pawl/webhook/internal/documents/Codes"
import { seal } from "@pawl/webhook/internal/documents/Fields"
import { decode } from "@pawl/webhook/internal/documents/TransactionDocument"
import { blank } from "@pawl/webhook/internal/rule/Row"
import type { StoredRow } from "@pawl/webhook/internal/rule/StoredRow"
import * as Result from "effect/Result"

export interface DocumentInput {
  readonly about: string
  readonly transactionId: string
  readonly document: string
}

const rowOf = ({ accepted, dueAt, lane, lease, row }: StoredRow) => {
  const { createdAt, kind, scope, transactionId } = row
  const standard = { ...blank(scope, transactionId, createdAt), lane: "repeat", accepted: {} }
  const texts = new Map(
    Object.entries(standard).map(([name, each]) => [name, JSON.stringify(each)])
  )
  const kept = Object.entries({ ...row, accepted, dueAt, lane, lease })
  const others = kept.filter(([name, each]) => JSON.stringify(each) !== texts.get(name))
  return { scope, kind, createdAt, ...Object.fromEntries(others) }
}

/** Returns null if the document is damaged. */
export const document = ({ document, transactionId }: DocumentInput) => ({
  rows: Result.match(
    Result.try(() => decode(document, { method: "card", transactionId })),
    { onFailure: () => null, onSuccess: (rows) => rows.map(rowOf) }
  )
})

const sealed = (about: string, ...lines: ReadonlyArray<string>): DocumentInput => ({
  about,
  transactionId: "100007",
  document: seal(lines)
})
const row = "kc,1767225600000"
const field = (about: string, ...lines: ReadonlyArray<string>) => sealed(about, row, ...lines)
const all = field(
  "every field",
  "frc",
  "ir-1",
  "amid-1",
  "m10.00",
  "uEUR",
  "e8210",
  "r4p0",
  "n3",
  "t1",
  "s2"
)

export const documents: ReadonlyArray<DocumentInput> = [
  all,
  sealed("no row", ""),
  sealed("two rows", row, "e1", "kr,1767225600001", "e2"),
  ...Codes.kinds.entries.map(([, code]) => sealed("a kind", `kc${code},1767225600000`)),
  ...Codes.kinds.entries.map(([, code]) => sealed("a scope", `k${code},1767225600000`)),
  ..."ronyaecp".split("").map((flag) => field("a flag", `f${flag}`)),
  ...statuses.map((_, code) => field("statuses", `t${code}`, `p${code}`, `r${code}0`)),
  ..."tayw".split("").map((code) => field("a lane", `L${code}`)),
  ...Codes.deadLetters.entries.map(([, code]) => field("a dead letter", `D${code}4zz`)),
  field("a dead letter without a status", "Dh-1"),
  field("numbers", "wz", "P10", "n10", "s10"),
  field("times", "F1", "y2", "N3", "l4", "A5", "U6", "d-7"),
  field("a time that is no difference", "d=1767225600000.5", "l=4503599627370496"),
  field("a lease", "hya,c0,3"),
  field("accepted callbacks", "b02", "b4zz,a"),
  field("newest callbacks", "q02", "q41,mid-1,10.00,EUR", "q53,a\\cb,b,c,zz"),
  field("texts", "imid-ü🔑", "aa\\cb\\\\n\\n\\t\\0\\ud800b", "m", "u"),
  field("an order without a field", "O"),
  field("an order without a field, and one with one", "ir-1", "O"),
  field("an unknown field", "e1", "Zx,1", "e3", "Y"),
  field("another check", "e1"),
  field("no check", "e1"),
  field("an unknown escape", "i\\x"),
  field("an unknown status", "t9"),
  field("an unknown lane", "Lx"),
  field("no number", "w"),
  field("no decimal number", "e"),
  sealed("a field before the first row", "e1", row),
  sealed("an unknown kind", "kx,1767225600000")
].map((input) => {
  const { about, document } = input
  if (about === "another check") return { ...input, document: document.replace("e1", "e2") }
  return about === "no check" ? { ...input, document: document.replace("~", "") } : input
})
