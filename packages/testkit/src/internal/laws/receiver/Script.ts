/**
 * A case as a shell script, to be played again by hand.
 *
 * **Details**
 *
 * It plays against a sandbox, so identifiers are variables; and nothing secret is in it: checksums are taken
 * in the shell, with the secret of its environment.
 *
 * @since 0.1.0
 */
import { amountOf, type Case, describe, type Kind, letterOf, methodOf, type Step } from "./Case.ts"
import { at, isBodiless, type Letter } from "./Letter.ts"
import { endpoints } from "./Service.ts"

/**
 * Where a script plays: the URL of the receiver, where it tells what it believes, the origin of a sandbox,
 * and the key of the merchant.
 *
 * @category models
 * @since 0.1.0
 */
export interface Place {
  readonly url: string
  readonly state: string | undefined
  readonly service: string
  readonly merchantKey: string
}

/**
 * Writes the script of a case.
 *
 * @category conversions
 * @since 0.1.0
 */
export const write = (given: Case, place: Place): string =>
  [
    `sign() { printf '%s' "$1" | openssl dgst -sha256 -hmac "$PAWL_MERCHANT_SECRET" "\${2:--binary}"; }`,
    ...(given.kinds.length > 0 ? opening(given.kinds, place) : []),
    ...given.steps.flatMap((step, index) => [
      `# ${index + 1}. ${short(describe(step, given))}`,
      ...stepLines(step, given, place)
    ]),
    ...(given.scheduler === undefined ? [] : ["wait"]),
    ...(place.state === undefined || given.kinds.length === 0
      ? []
      : ["sleep 5", ...given.kinds.map((kind, which) => believed(which, kind))])
  ].join("\n")

const short = (text: string): string =>
  text.replaceAll(/[^ -~]/gu, "?").replaceAll(/(.{200}).+/gu, "$1…")

const opening = (kinds: ReadonlyArray<Kind>, { merchantKey, service, state }: Place) => [
  `service=${quote(service)}`,
  `json='content-type: application/json'`,
  `token=$(curl -s "$service/api/v1/auth" -H "$json" -d '{"merchantKey":"${merchantKey}","merchantSecret":"'"$PAWL_MERCHANT_SECRET"'"}' | sed -E 's/.*"accessToken":"([^"]*)".*/\\1/')`,
  `create() { curl -s "$service/api$1" -H "$json" -H "authorization: Bearer $token" -d "$2" | sed -E 's/.*"(refundId|transactionId)":"([0-9]+)".*/\\2/'; }`,
  `says() { curl -s -o /dev/null "$service/sandbox/transactions/$1/status" -d '{"status":"'"$2"'"}'; }`,
  ...(state === undefined ? [] : [`believed() { curl -s ${quote(state)}"/$1/$2"; echo; }`]),
  ...(kinds.includes("refund")
    ? [`paid=$(${create("card-payment", "paid")})`, `says "$paid" SUCCEED`]
    : []),
  ...kinds.map((kind, which) => `id${which + 1}=$(${create(kind, String(which + 1))})`)
]

const create = (kind: Kind, name: string): string => {
  const requestId = `again-$$-${name}`
  const body = { requestId, amount: amountOf[kind], ...endpoints[kind].body }
  const json = JSON.stringify(body).slice(1, -1).replaceAll('"', '\\"')
  const more =
    "accountId" in body
      ? `,\\"checksum\\":\\"$(sign "${body.accountId}|${requestId}|${body.amount}|${body.currency}" -hex | sed 's/.* //')\\"`
      : kind === "refund"
        ? `,\\"transactionId\\":$paid`
        : ""
  return `create ${endpoints[kind].create} "{${json}${more}}"`
}

const stepLines = (step: Step, given: Case, place: Place): ReadonlyArray<string> => {
  if (step._tag === "Sends") return [curl(step.letter, place)]
  const { which } = step
  const kind = given.kinds[which] ?? "card-payment"
  switch (step._tag) {
    case "Moves":
      return [`says "$id${which + 1}" ${step.status}`]
    case "Fails": {
      const fault = { endpoint: `GET ${endpoints[kind].read}/{id}`, fault: step.fault, times: 1 }
      return [`curl -s -o /dev/null "$service/sandbox/faults" -d '${JSON.stringify(fault)}'`]
    }
    case "Comes": {
      const line = curl(letterOf(kind, `ID_${which + 1}`, step.delivery), place)
      if (given.scheduler !== undefined) return [`${line} &`]
      return place.state === undefined ? [line] : [line, believed(which, kind)]
    }
  }
}

const believed = (which: number, kind: Kind): string =>
  `believed ${methodOf[kind]} "$id${which + 1}"`

const curl = (letter: Letter, { url }: Place): string => {
  const { body, contentEncoding, contentType, method, search } = letter.incoming
  const verb = method === "HEAD" ? "-I" : `-X ${method}`
  const headers = { "content-type": contentType, "content-encoding": contentEncoding }
  return [
    `curl -g -s -w ' %{http_code}\\n' ${verb} ${quote(at(url, search))}`,
    ...Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [`-H ${quote(`${name}: ${value}`)}`]
    ),
    ...checksum(letter),
    ...(isBodiless(letter) ? [] : [`--data-binary ${quoteBytes(body)}`])
  ].join(" ")
}

const checksum = ({ spelling, text }: Letter): ReadonlyArray<string> => {
  const written = spelling.write("AAAA")
  if (written === undefined) return []
  if (written === "") return ["-H 'x-checksum;'"]
  const filter = spelling.filter === "" ? "" : ` | LC_ALL=C ${spelling.filter}`
  return [`-H "x-checksum: $(sign ${quote(text)} | base64${filter})"`]
}

const utf8 = new TextEncoder()
const quote = (text: string): string => quoteBytes(utf8.encode(text))

/** In plain quotes where that will do; a long run is written as what makes it, an identifier as its variable. */
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
