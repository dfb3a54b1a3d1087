/**
 * What a conformance run prints: the script that plays a break again, the report, and JUnit's XML.
 */
import { keyed } from "@pawl/core/PortableHmac"
import type { Status } from "@pawl/core/Status"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as fc from "fast-check"
import { execFile } from "node:child_process"
import { once } from "node:events"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { buffer } from "node:stream/consumers"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, it } from "vitest"
import * as Conformance from "../src/Conformance.ts"
import { Gateway } from "../src/Gateway.ts"
import * as CallbackRequests from "../src/Generators/CallbackRequests.ts"
import type { Case, Kind, Step } from "../src/internal/laws/receiver/Case.ts"
import * as Letter from "../src/internal/laws/receiver/Letter.ts"
import * as Malformed from "../src/internal/laws/receiver/Malformed.ts"
import * as Spellings from "../src/internal/laws/receiver/Spelling.ts"
import { LawBroken } from "../src/Laws.ts"
import * as Sandbox from "../src/Sandbox.ts"

const secret = "sandbox-secret"
const merchantSecret = Redacted.make(secret)

interface Kept {
  readonly line: string
  readonly headers: ReadonlyArray<string | undefined>
  readonly body: string
}
const kept: Array<Kept> = []
const states = new Map<string, string>()

/** Keeps what comes, byte by byte, and believes all of it. */
const keep = async (request: IncomingMessage): Promise<void> => {
  const { headers, method = "", url = "" } = request
  const body = (await buffer(request)).toString("latin1")
  const names = ["content-type", "content-encoding", "x-checksum"]
  kept.push({
    line: `${method} ${url}`,
    headers: names.map((name) => headers[name]?.toString()),
    body
  })
  const [id = "", status = ""] = ["transactionId", "transactionStatus"].map(
    (name) => new RegExp(`"${name}":"([^"]*)"`, "u").exec(body)?.[1]
  )
  states.set(id, status)
}

const server = createServer((request, response) => {
  const [, place, , id = ""] = (request.url ?? "").split("/")
  if (place !== "transactions") return void keep(request).then(() => response.end())
  response.end(JSON.stringify({ status: states.get(id) ?? null }))
})
let origin = ""
beforeAll(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening")
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())

const about = {
  name: "all is <well>",
  section: "docs/spec.md",
  explanation: 'As "it" should & must be.'
}

const reportOf = (counterexample: Case, service = "http://127.0.0.1:4011"): string =>
  Conformance.report(
    [
      {
        law: about,
        about: "answers",
        millis: 1,
        broken: new LawBroken({ law: about, wrong: "it is not", counterexample })
      }
    ],
    {
      url: `${origin}/callback?shop=1`,
      state: `${origin}/transactions`,
      service,
      merchantSecret,
      seed: 7
    }
  )

/** The script of a case, as it is printed, but for the wait. */
const scriptOf = (given: Case, service?: string): string =>
  (/--pace 1h`:\n\n([^]*?)\n\nNext: /u.exec(reportOf(given, service))?.[1] ?? "").replace(
    "sleep 5",
    ""
  )

const bash = (script: string) =>
  promisify(execFile)("bash", ["-c", script], {
    env: { ...process.env, PAWL_MERCHANT_SECRET: secret }
  })

const changes: ReadonlyArray<Letter.Change> = [
  ...Spellings.wrong.map((spelling) => ({ note: spelling.note, spelling })),
  ...["GET", "HEAD", "DELETE"].map((method) => ({ note: method, incoming: { method } })),
  ...Object.values(Malformed).flat()
]

it("a script sends what was sent, to the byte", async () => {
  const letters = [
    ...changes.flatMap((change) => [Letter.changed("card", change), Letter.changed("apm", change)]),
    ...fc.sample(CallbackRequests.contents, 5).map((post) => Letter.said("genuine", post))
  ]
  const url = `${origin}/callback?shop=1`
  for (const letter of letters) await fetch(Letter.toRequest(keyed(merchantSecret), url, letter))
  const sent = kept.splice(0)
  const steps = letters.map((letter): Step => ({ _tag: "Sends", letter }))
  const { stderr } = await bash(scriptOf({ kinds: [], steps }))
  expect(stderr).toBe("")
  expect(kept.splice(0)).toEqual(sent)
})

it("a script moves the service, and shows what is believed after each callback", async () => {
  const kinds: ReadonlyArray<Kind> = ["card-payment", "apm-payment", "refund", "refund"]
  const comes = (which: number, status: Status, forged?: "status"): Step => ({
    _tag: "Comes",
    which,
    delivery: { at: 0, status, amount: "text", forged }
  })
  const steps: ReadonlyArray<Step> = [
    { _tag: "Moves", which: 0, status: "PENDING" },
    comes(0, "SUCCEED", "status"),
    { _tag: "Moves", which: 1, status: "CANCELLED" },
    comes(1, "CANCELLED"),
    { _tag: "Fails", which: 2, fault: "503" },
    comes(3, "FAILED")
  ]
  const [stdout, truth] = await Effect.runPromise(
    Effect.gen(function* () {
      const services = yield* Effect.context<Sandbox.Services>()
      const { baseUrl } = Context.get(services, Sandbox.Sandbox)
      const { stderr, stdout } = yield* Effect.promise(() =>
        bash(scriptOf({ kinds, steps }, baseUrl.replace("/api", "")))
      )
      expect(stderr).toBe("")
      const transactions = yield* Context.get(services, Gateway).transactions
      return [
        stdout,
        transactions.map(({ kind, status, transactionId }) => `${transactionId} ${kind} ${status}`)
      ] as const
    }).pipe(Effect.provide(Sandbox.layer({ pace: "1 hour", merchantSecret, firstId: 7000 })))
  )
  expect(truth).toEqual([
    "7000 card-payment SUCCEED",
    "7001 card-payment PENDING",
    "7002 apm-payment CANCELLED",
    "7003 refund NEW",
    "7004 refund NEW"
  ])
  expect(stdout.split("\n")).toEqual([
    " 200",
    '{"status":"SUCCEED"}',
    " 200",
    '{"status":"CANCELLED"}',
    " 200",
    '{"status":"FAILED"}',
    '{"status":"SUCCEED"}',
    '{"status":"CANCELLED"}',
    '{"status":null}',
    '{"status":"FAILED"}',
    ""
  ])
  expect(kept.splice(0).length).toBe(3)
})

it("callbacks that came at once are sent at once", () => {
  const scheduler = fc.sample(fc.scheduler(), 1)[0]
  const delivery = { at: 0, status: "SUCCEED", amount: "text", forged: undefined } as const
  const step: Step = { _tag: "Comes", which: 0, delivery }
  const script = scriptOf({ kinds: ["card-payment"], steps: [step, step], scheduler })
  expect(script.match(/&$/gmu)?.length).toBe(2)
  expect(script).toMatch(/^ *wait$/mu)
})

it("nothing printed holds a secret or a checksum", () => {
  const letter = Letter.changed("card", { note: "as it is" })
  const checksum = Letter.toRequest(keyed(merchantSecret), origin, letter).headers.get("x-checksum")
  const report = reportOf({ kinds: ["card-payment"], steps: [{ _tag: "Sends", letter }] })
  expect(checksum).toMatch(/=$/u)
  expect(report).not.toContain(checksum)
  expect(report).not.toContain(secret)
})

it("JUnit's XML names every law, and what is wrong, with nothing in it that XML cannot hold", () => {
  const broken = new LawBroken({ law: about, wrong: "it is\u0000 <wrong>", shown: "1. NEW & old" })
  const xml = Conformance.junit([
    { law: about, about: "answers", millis: 1500, broken },
    { law: about, about: "beliefs", millis: 500, broken: undefined }
  ])
  expect(xml).toMatchInlineSnapshot(`
    "<?xml version="1.0" encoding="UTF-8"?>
    <testsuites>
      <testsuite name="conform" tests="2" failures="1" time="2.000">
        <testcase classname="conform.answers" name="all is &lt;well&gt;" time="1.500">
          <failure message="it is &lt;wrong&gt;">It does not hold that all is &lt;well&gt;.

      1. NEW &amp; old

      it is &lt;wrong&gt;

      As &quot;it&quot; should &amp; must be.
      (docs/spec.md)</failure>
        </testcase>
        <testcase classname="conform.beliefs" name="all is &lt;well&gt;" time="0.500"/>
      </testsuite>
    </testsuites>
    "
  `)
})
