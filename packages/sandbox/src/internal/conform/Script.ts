/** Writes a case as a shell script that repeats it against a sandbox. It contains no secret. */
import {
  type CallbackRequest,
  isBodiless,
  withQuery
} from "@pawl/testkit/internal/laws/receiver/CallbackRequest"
import {
  amountOf,
  type CaseKind,
  type CaseStep,
  describe,
  methodOf,
  type ReceiverCase,
  requestOf
} from "@pawl/testkit/internal/laws/receiver/Case"
import { endpoints } from "@pawl/testkit/internal/laws/receiver/Service"

/**
 * The URL of the receiver, the URL prefix of the statuses it reports, the origin of the sandbox,
 * and the merchant key.
 */
export interface ScriptTarget {
  readonly url: string
  readonly state: string | undefined
  readonly service: string
  readonly merchantKey: string
}

export const write = (value: ReceiverCase, target: ScriptTarget): string =>
  [
    `sign() { printf '%s' "$1" | openssl dgst -sha256 -hmac "$PAWL_MERCHANT_SECRET" "\${2:--binary}"; }`,
    ...(value.kinds.length > 0 ? setup(value.kinds, target) : []),
    ...value.steps.flatMap((step, index) => [
      `# ${index + 1}. ${short(describe(step, value))}`,
      ...stepLines(step, value, target)
    ]),
    ...(value.scheduler === undefined ? [] : ["wait"]),
    ...(target.state === undefined || value.kinds.length === 0
      ? []
      : ["sleep 5", ...value.kinds.map((kind, index) => reported(index, kind))])
  ].join("\n")

const short = (text: string): string =>
  text.replaceAll(/[^ -~]/gu, "?").replaceAll(/(.{200}).+/gu, "$1…")

const setup = (kinds: ReadonlyArray<CaseKind>, { merchantKey, service, state }: ScriptTarget) => [
  `service=${quote(service)}`,
  `json='content-type: application/json'`,
  `token=$(curl -s "$service/api/v1/auth" -H "$json" -d '{"merchantKey":"${merchantKey}","merchantSecret":"'"$PAWL_MERCHANT_SECRET"'"}' | sed -E 's/.*"accessToken":"([^"]*)".*/\\1/')`,
  `create() { curl -s "$service/api$1" -H "$json" -H "authorization: Bearer $token" -d "$2" | sed -E 's/.*"(refundId|transactionId)":"([0-9]+)".*/\\2/'; }`,
  `move() { curl -s -o /dev/null "$service/sandbox/transactions/$1/status" -d '{"status":"'"$2"'"}'; }`,
  ...(state === undefined ? [] : [`reported() { curl -s ${quote(state)}"/$1/$2"; echo; }`]),
  ...(kinds.includes("refund")
    ? [`paid=$(${create("card-payment", "paid")})`, `move "$paid" SUCCEED`]
    : []),
  ...kinds.map((kind, index) => `id${index + 1}=$(${create(kind, String(index + 1))})`)
]

const create = (kind: CaseKind, name: string): string => {
  const requestId = `repeat-$$-${name}`
  const body = { requestId, amount: amountOf[kind], ...endpoints[kind].body }
  const json = JSON.stringify(body).slice(1, -1).replaceAll('"', '\\"')
  const additional =
    "accountId" in body
      ? `,\\"checksum\\":\\"$(sign "${body.accountId}|${requestId}|${body.amount}|${body.currency}" -hex | sed 's/.* //')\\"`
      : kind === "refund"
        ? `,\\"transactionId\\":$paid`
        : ""
  return `create ${endpoints[kind].create} "{${json}${additional}}"`
}

const stepLines = (
  step: CaseStep,
  value: ReceiverCase,
  target: ScriptTarget
): ReadonlyArray<string> => {
  if (step._tag === "Send") return [curl(step.request, target)]
  const { index } = step
  const kind = value.kinds[index] ?? "card-payment"
  switch (step._tag) {
    case "ChangeStatus":
      return [`move "$id${index + 1}" ${step.status}`]
    case "FailRead": {
      const fault = { endpoint: `GET ${endpoints[kind].read}/{id}`, fault: step.fault, times: 1 }
      return [`curl -s -o /dev/null "$service/sandbox/faults" -d '${JSON.stringify(fault)}'`]
    }
    case "Deliver": {
      const line = curl(
        requestOf(kind, (at) => `ID_${at + 1}`, step),
        target
      )
      if (value.scheduler !== undefined) return [`${line} &`]
      return target.state === undefined ? [line] : [line, reported(index, kind)]
    }
  }
}

const reported = (index: number, kind: CaseKind): string =>
  `reported ${methodOf[kind]} "$id${index + 1}"`

const curl = (request: CallbackRequest, { url }: ScriptTarget): string => {
  const { body, contentEncoding, contentType, method, search } = request.incoming
  const verb = method === "HEAD" ? "-I" : `-X ${method}`
  const headers = { "content-type": contentType, "content-encoding": contentEncoding }
  return [
    `curl -g -s -w ' %{http_code}\\n' ${verb} ${quote(new URL(withQuery(url, search)).href)}`,
    ...Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [`-H ${quote(`${name}: ${value}`)}`]
    ),
    ...checksum(request),
    ...(isBodiless(request) ? [] : [`--data-binary ${quoteBytes(body)}`])
  ].join(" ")
}

const checksum = ({ encoding, text }: CallbackRequest): ReadonlyArray<string> => {
  const written = encoding.write("AAAA")
  if (written === undefined) return []
  if (written === "") return ["-H 'x-checksum;'"]
  const filter = encoding.shellFilter === "" ? "" : ` | LC_ALL=C ${encoding.shellFilter}`
  return [`-H "x-checksum: $(sign ${quote(text)} | base64${filter})"`]
}

const utf8 = new TextEncoder()
const quote = (text: string): string => quoteBytes(utf8.encode(text))

/**
 * Quotes bytes for bash. An identifier becomes its variable, and a long run of one letter the
 * command that prints it.
 */
const quoteBytes = (bytes: Uint8Array): string => {
  const isPlain = bytes.every((byte) => byte >= 0x20 && byte < 0x7f && byte !== 0x27)
  const open = isPlain ? "'" : "$'"
  const text = isPlain
    ? String.fromCharCode(...bytes)
    : Array.from(bytes, (byte) =>
        byte >= 0x20 && byte < 0x7f && byte !== 0x27 && byte !== 0x5c
          ? String.fromCharCode(byte)
          : `\\x${byte.toString(16).padStart(2, "0")}`
      ).join("")
  const filled = text
    .replaceAll(/ID_(\d+)/gu, `'"$id$1"${open}`)
    .replaceAll(/x{1000,}/gu, (run) => `'"$(printf '%${run.length}s' '' | tr ' ' x)"${open}`)
  return `${open}${filled}'`
}
