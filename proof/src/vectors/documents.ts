/** The documents of the engine: transactions without defaults, requests, quarantined callbacks. */
import { statuses } from "@pawl/core/Status"
import * as Codes from "@pawl/webhook/internal/documents/Codes"
import { seal } from "@pawl/webhook/internal/documents/Fields"
import * as RequestDocument from "@pawl/webhook/internal/documents/RequestDocument"
import { decode } from "@pawl/webhook/internal/documents/TransactionDocument"
import { texts } from "@pawl/webhook/internal/records/Codecs"
import { blank } from "@pawl/webhook/internal/rule/Row"
import type { StoredRow } from "@pawl/webhook/internal/rule/StoredRow"
import * as Result from "effect/Result"

interface DocumentInput {
  readonly about: string
  readonly transactionId: string
  readonly document: string
}

interface RequestDocumentInput {
  readonly about: string
  readonly requestId: string
  readonly document: string
}

type QuarantineInput = Omit<RequestDocumentInput, "requestId">

const rowOf = ({ accepted, dueAt, facts, lane, lease, row }: StoredRow) => {
  const { createdAt, kind, scope, transactionId } = row
  const standard = {
    ...blank(scope, transactionId, createdAt),
    lane: "repeat",
    accepted: {},
    facts: [],
    factNumber: 0
  }
  const defaults = new Map(
    Object.entries(standard).map(([name, each]) => [name, JSON.stringify(each)])
  )
  const all = { ...row, accepted, dueAt, lane, lease, facts: facts.kept, factNumber: facts.number }
  const others = Object.entries(all).filter(
    ([name, each]) => JSON.stringify(each) !== defaults.get(name)
  )
  return { scope, kind, createdAt, ...Object.fromEntries(others) }
}

/** Returns null if the document is damaged. */
const read = <A>(decoded: () => A): A | null => Result.getOrElse(Result.try(decoded), () => null)

export const document = ({ document, transactionId }: DocumentInput) => ({
  rows: read(() => decode(document, { method: "card", transactionId }).map(rowOf))
})

export const requestDocument = ({ document, requestId }: RequestDocumentInput) => ({
  row: read(() => RequestDocument.decode(document, requestId))
})

export const quarantine = ({ document }: QuarantineInput) => ({
  callbacks: read(() => texts.quarantine.decode(document, ""))
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
  field("newest callbacks", "q02", "q41,mid-1,10.00,EUR", "q53,a\\cb,b,c,zz", "q62,zz"),
  field("texts", "imid-ü🔑", "aa\\cb\\\\n\\n\\t\\0\\ud800b", "m", "u"),
  field("an order without a field", "O"),
  field("an order without a field, and one with one", "ir-1", "O"),
  field("an unknown field", "e1", "Zx,1", "e3", "Y"),
  ...["rc", "rp0", "rp-", "b3", "ac1", "a-4", "ap.+gone\\c", "aa.-", "c405.2", "c4-zz.10"].map(
    (words) => field("a fact", `x1,0,${words}`)
  ),
  ...["t43", "x5z", "ph", "pu4", "v+ops\t+again", "v-\t-", "m"].map((words) =>
    field("a fact", `x2,1z,${words}`)
  ),
  field("repeated facts", "x1,0,b0,k3,l5", "x2,1,b1,l", "x5,2,m,fq", "x3,3,b2,k2,l,fr"),
  field("the number of a fact that is not stored", "x1,0,m", "Xz"),
  field("a fact of a newer version", "x1,0,m", "x7,1,zz", "x3,2,m,y1"),
  field("a fact with an unknown status", "x1,0,b9"),
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

const open = "kp,1767225600000"
const request = (about: string, ...lines: ReadonlyArray<string>): RequestDocumentInput => ({
  about,
  requestId: "order-17",
  document: seal([open, ...lines])
})

export const requestDocuments: ReadonlyArray<RequestDocumentInput> = [
  request("a request that waits", "gdigest", "iorder-17", "a4711", "m10.00", "uEUR", "vbody", "d0"),
  request("an order without a field", "O"),
  ...Codes.requestKinds.entries.map(([, code]) => ({
    ...request("a kind"),
    document: seal([`k${code},1767225600000`])
  })),
  { ...request("card data"), document: seal(["kqc,1767225600000"]) },
  request("times", "Rz", "E10", "B1", "d-2", "S3"),
  request("attempts", "wz"),
  request("refusals", "x3,1z,busy\\cnow"),
  request("a lease", "hya,c0"),
  request("a lease of a request in doubt", "hya,c0,d"),
  request("a lease of a newer version", "hya,c0,e"),
  ...["a", "r", "f"].flatMap((code) => [
    request("an outcome", `o${code}`),
    request("an outcome with a text", `o${code}`, "zsealed\\n")
  ]),
  ...Codes.notSent.entries.map(([, code]) => request("not sent", `on${code}`, "zsealed")),
  request("a text before its outcome", "zsealed", "oa"),
  request("texts with commas", "ga\\cb", "vc\\cd", "Te\\cf"),
  request("a transaction", "ta100007", "Tother"),
  request("a transaction of cards", "tcx\\cy"),
  ...Codes.parkReasons.entries.map(([, code]) => request("parked", `D${code}1z`)),
  request("an unknown field", "w1", "Y", "w2", "Qx,1"),
  request("an unknown outcome", "oq"),
  request("an unknown reason", "onq"),
  request("no number", "w"),
  { ...request("another check"), document: seal([open]).replace("0", "1") },
  { ...request("no kind"), document: seal(["w1"]) },
  { ...request("another first field"), document: seal(["xp,1767225600000"]) },
  { ...request("an unknown kind"), document: seal(["kz,1767225600000"]) }
]

const quarantined = {
  name: "n1",
  print: "p",
  method: "card",
  reason: "an unknown status, ü",
  secret: "previous",
  firstAt: 1767225600000,
  newestAt: 1767225600001
}

export const quarantines: ReadonlyArray<QuarantineInput> = [
  { about: "no callback", document: seal(["[]"]) },
  { about: "two callbacks", document: seal([JSON.stringify([quarantined, quarantined])]) },
  { about: "another check", document: seal(["[]"]).replace("~", "~1") },
  { about: "no JSON", document: seal(["["]) }
]
