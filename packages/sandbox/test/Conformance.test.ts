import { keyed } from "@pawl/core/Hmac"
import type { Status } from "@pawl/core/Status"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import type { IncomingMessage } from "node:http"
import { buffer } from "node:stream/consumers"
import { promisify } from "node:util"
import { afterAll, expect, it } from "vitest"
import * as Conformance from "../src/Conformance.ts"
import * as Fake from "@pawl/testkit/Fake"
import { Gateway } from "@pawl/testkit/Gateway"
import * as Generators from "@pawl/testkit/Generators"
import * as CallbackRequest from "@pawl/testkit/internal/laws/receiver/CallbackRequest"
import type { CaseKind, CaseStep, ReceiverCase } from "@pawl/testkit/internal/laws/receiver/Case"
import * as ChecksumEncoding from "@pawl/testkit/internal/laws/receiver/ChecksumEncoding"
import * as Malformed from "@pawl/testkit/internal/laws/receiver/Malformed"
import { LawBroken } from "@pawl/testkit/Laws"
import { laws } from "@pawl/testkit/Laws/Receiver"
import * as Sandbox from "../src/Sandbox.ts"
import { runWith } from "./support/sandbox.ts"
import { listen } from "./support/wire.ts"

const secret = "sandbox-secret"
const merchantSecret = Redacted.make(secret)

interface ReceivedRequest {
  readonly line: string
  readonly headers: ReadonlyArray<string | undefined>
  readonly body: string
}
const received: Array<ReceivedRequest> = []
const states = new Map<string, string>()

const record = async (request: IncomingMessage): Promise<void> => {
  const { headers, method = "", url = "" } = request
  const body = (await buffer(request)).toString("latin1")
  const names = ["content-type", "content-encoding", "x-checksum"]
  received.push({
    line: `${method} ${url}`,
    headers: names.map((name) => headers[name]?.toString()),
    body
  })
  const [id = "", status = ""] = ["transactionId", "transactionStatus"].map(
    (name) => new RegExp(`"${name}":"([^"]*)"`, "u").exec(body)?.[1]
  )
  states.set(id, status)
}

const { server, url: origin } = await listen((request, response) => {
  const [, path, , id = ""] = (request.url ?? "").split("/")
  if (path !== "transactions") return void record(request).then(() => response.end())
  response.end(JSON.stringify({ status: states.get(id) ?? null }))
})
afterAll(() => server.close())

const law = {
  name: "the <sum> is right",
  section: "docs/spec.md",
  explanation: 'It is "right" & complete.'
}

/** A law that was checked for 1.5 seconds, and held if it is not `broken`. */
const verdict = (number: number, broken?: Conformance.Verdict["broken"]): Conformance.Verdict => ({
  law,
  number,
  source: "specification",
  group: "answers",
  millis: 1500,
  broken,
  hasEnded: false
})

const reportOf = (counterexample: ReceiverCase, service = "http://127.0.0.1:4011"): string =>
  Conformance.report([verdict(4, new LawBroken({ law, wrong: "it is not", counterexample }))], {
    url: `${origin}/callback?shop=1`,
    state: `${origin}/transactions`,
    service,
    merchantSecret,
    seed: 7
  })

const scriptOf = (value: ReceiverCase, service?: string): string =>
  (
    /PAWL_MERCHANT_SECRET set:\n\n([^]*?)\n\nNext: /u.exec(reportOf(value, service))?.[1] ?? ""
  ).replace("sleep 5", "")

const bash = (script: string) =>
  promisify(execFile)("bash", ["-c", script], {
    env: { ...process.env, PAWL_MERCHANT_SECRET: secret }
  })

const changes: ReadonlyArray<CallbackRequest.Change> = [
  ...ChecksumEncoding.wrong.map((encoding) => ({ note: encoding.note, encoding })),
  { note: "quoted", search: (search) => `${search}&q='*'` },
  ...["GET", "HEAD", "DELETE"].map((method) => ({ note: method, incoming: { method } })),
  ...Object.values(Malformed).flat()
]

it("numbers the laws, those of the specification first, as docs/laws.md does", () => {
  const page = readFileSync(`${import.meta.dirname}/../../../docs/laws.md`, "utf8")
  const listed = [...page.matchAll(/^(\d+)\. \[(.+)\]\(conform-laws\.md#law-\1\)$/gmu)].map(
    ([, number, name]) => [Number(number), name?.toLowerCase()]
  )
  expect(listed).toEqual(
    Conformance.laws.map(({ law, number }) => [number, law.name.toLowerCase()])
  )
  expect(Conformance.laws.map(({ number }) => number)).toEqual(laws.map((_, at) => at + 1))
  const specified = Conformance.laws.filter(({ source }) => source === "specification")
  expect(specified.map(({ law }) => law.name)).toEqual([
    "a genuine callback is answered 200",
    "a repeated callback is answered 200, like the first",
    "the receiver ends at the service's last terminal status, however the callbacks arrive",
    "the rank of the reported status never falls",
    "concurrent callbacks end at the same status as sequential ones",
    "a failed read does not lose a callback"
  ])
  expect(Conformance.laws.slice(0, specified.length)).toEqual(specified)
})

it("a script sends the same bytes as the law", async () => {
  const requests = [
    ...changes.flatMap((change) => [
      CallbackRequest.changed("card", change),
      CallbackRequest.changed("apm", change)
    ]),
    ...fc
      .sample(Generators.contents, 5)
      .map((content) => CallbackRequest.withBodyInNote("genuine", content))
  ]
  const url = `${origin}/callback?shop=1`
  for (const request of requests)
    await fetch(CallbackRequest.toRequest(keyed(merchantSecret), url, request))
  const sent = received.splice(0)
  const steps = requests.map((request): CaseStep => ({ _tag: "Send", request }))
  const { stderr } = await bash(scriptOf({ kinds: [], steps }))
  expect(stderr).toBe("")
  expect(received.splice(0)).toEqual(sent)
})

it("a script changes statuses at the service, and shows the reported status after each callback", async () => {
  const kinds: ReadonlyArray<CaseKind> = ["card-payment", "apm-payment", "refund", "refund"]
  const deliver = (index: number, status: Status, forged?: "status"): CaseStep => ({
    _tag: "Deliver",
    index,
    delivery: { at: 0, status, amount: "text", forged }
  })
  const steps: ReadonlyArray<CaseStep> = [
    { _tag: "ChangeStatus", index: 0, status: "PENDING" },
    deliver(0, "SUCCEED", "status"),
    { _tag: "ChangeStatus", index: 1, status: "CANCELLED" },
    deliver(1, "CANCELLED"),
    { _tag: "FailRead", index: 2, fault: "503" },
    deliver(3, "FAILED")
  ]
  await runWith({ pace: "1 hour", merchantSecret, seed: undefined, firstId: 7000 }, function* () {
    const { baseUrl } = yield* Sandbox.Sandbox
    const { stderr, stdout } = yield* Effect.promise(() =>
      bash(scriptOf({ kinds, steps }, baseUrl.replace("/api", "")))
    )
    expect(stderr).toBe("")
    const transactions = yield* (yield* Gateway).transactions
    expect(
      transactions.map(({ kind, status, transactionId }) => `${transactionId} ${kind} ${status}`)
    ).toEqual([
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
    expect(received.splice(0).length).toBe(3)
  })
})

it("concurrent callbacks are sent concurrently", () => {
  const scheduler = fc.sample(fc.scheduler(), 1)[0]
  const delivery = { at: 0, status: "SUCCEED", amount: "text", forged: undefined } as const
  const step: CaseStep = { _tag: "Deliver", index: 0, delivery }
  const script = scriptOf({ kinds: ["card-payment"], steps: [step, step], scheduler })
  expect(script.match(/&$/gmu)?.length).toBe(2)
  expect(script).toMatch(/^ *wait$/mu)
})

it("a report contains no secret and no checksum", () => {
  const request = CallbackRequest.changed("card", { note: "unchanged" })
  const { headers } = CallbackRequest.toRequest(keyed(merchantSecret), origin, request)
  const checksum = headers.get("x-checksum")
  const report = reportOf({ kinds: ["card-payment"], steps: [{ _tag: "Send", request }] })
  expect(checksum).toMatch(/=$/u)
  expect(report).not.toContain(checksum)
  expect(report).not.toContain(secret)
})

it("the summary is a table of the laws and the report, in which no text of a receiver is Markdown", () => {
  const broken = new LawBroken({
    law,
    wrong: "it is\n~~~\n# <b>wrong</b>",
    shown: "1. NEW",
    counterexample: { kinds: ["card-payment"], steps: [] }
  })
  const summary = Conformance.summary([verdict(1, broken), verdict(2)], {
    url: "http://receiver.example/callback",
    service: "http://127.0.0.1:4011",
    merchantSecret,
    seed: 1
  })
  expect(summary).toMatch(/^### conform: 1 of 2 laws hold\n\n\| \| \| law \|/u)
  expect(summary).toContain(`| 1 | ❌ | ${law.name} | specification | 1.5 s |`)
  expect(summary).toContain(`| 2 | ✅ | ${law.name} | specification | 1.5 s |`)
  const [, report = ""] = summary.split(/\| 2 \|.*\n\n/u)
  expect(report).toContain("<b>wrong</b>")
  for (const line of report.trimEnd().split("\n")) expect(line).toMatch(/^ {4}/u)
  expect(summary).not.toContain(secret)
})

it("the JUnit XML lists every law and failure, without characters that XML does not allow", () => {
  const broken = new LawBroken({ law, wrong: "it is\u0000 <wrong>", shown: "1. NEW & old" })
  const second = { ...verdict(2), source: "pawl", group: "statuses", millis: 500 } as const
  const xml = Conformance.junit([verdict(1, broken), second])
  expect(xml).toMatchInlineSnapshot(`
    "<?xml version="1.0" encoding="UTF-8"?>
    <testsuites>
      <testsuite name="conform" tests="2" failures="1" time="2.000">
        <testcase classname="conform.specification.answers" name="the &lt;sum&gt; is right" time="1.500">
          <failure message="it is &lt;wrong&gt;">This law does not hold: the &lt;sum&gt; is right.

      1. NEW &amp; old

      it is &lt;wrong&gt;

      It is &quot;right&quot; &amp; complete.
      (docs/spec.md)</failure>
        </testcase>
        <testcase classname="conform.pawl.statuses" name="the &lt;sum&gt; is right" time="0.500"/>
      </testsuite>
    </testsuites>
    "
  `)
})

it("the progress of a law is reported every 5 seconds", async () => {
  const posted = Promise.withResolvers<void>()
  const fetch: typeof globalThis.fetch = (input) => {
    if (!(input instanceof Request)) return Promise.resolve(new Response())
    posted.resolve()
    return new Promise(() => {})
  }
  const options = {
    url: "http://receiver.example/callback",
    service: "http://127.0.0.1:4011",
    merchantSecret,
    seed: 1,
    only: ["repeated callback"]
  }
  const test = Effect.gen(function* () {
    const progress = yield* Queue.unbounded<Conformance.Progress>()
    const onProgress = (one: Conformance.Progress) => Effect.asVoid(Queue.offer(progress, one))
    yield* Effect.forkScoped(Conformance.check(options, () => Effect.void, onProgress))
    yield* Effect.promise(() => posted.promise)
    yield* TestClock.adjust("5 seconds")
    return yield* Queue.take(progress)
  }).pipe(
    Effect.scoped,
    Effect.provide(Layer.provideMerge(Fake.layer(), TestClock.layer())),
    Effect.provideService(FetchHttpClient.Fetch, fetch)
  )
  expect(await Effect.runPromise(test)).toMatchObject({
    number: 2,
    requests: 1,
    source: "specification"
  })
})
