import { Profile } from "@pawl/core/Profile"
import { StatusReader } from "@pawl/core/StatusReader"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Metric from "effect/Metric"
import * as References from "effect/References"
import * as TestClock from "effect/testing/TestClock"
import * as Tracer from "effect/Tracer"
import { inspect } from "node:util"
import { describe, expect, it } from "vitest"
import * as Pawl from "../src/Pawl.ts"
import * as Memory from "./support/memory.ts"
import * as Operations from "./support/operations.ts"

describe("the client on Node", () => {
  it("polls at the gaps of the client's profile", async () => {
    const pollIntervals = [Duration.seconds(7)] as const
    const layer = Pawl.layer({ ...Memory.options, profile: { pollIntervals } })
    const profile = await Effect.runPromise(Effect.provide(Profile, layer))
    expect(profile.pollIntervals).toEqual(pollIntervals)
  })
})

describe("B04 secrets", () => {
  const token = Memory.jwt({ canary: "token-canary-77e0" })
  const { cvv, ...canaries } = { ...Operations.canaries, checksum: Operations.checksum }
  const sensitive = [
    "secret-canary-93ad",
    "key-canary-1b7c",
    "token-canary-77e0",
    ...Object.values(canaries)
  ]

  const spellings = (text: string) => {
    const bytes = Buffer.from(text)
    // The part of the base64 of a longer text that does not depend on the text before.
    const base64 = [0, 1, 2].map((shift) =>
      Buffer.from(" ".repeat(shift) + text)
        .toString("base64")
        .slice(4, -4)
    )
    return [text, encodeURIComponent(text), bytes.toString("hex"), ...base64].filter(
      (each) => each.length > 5
    )
  }

  const leaves = (value: unknown): Array<string> =>
    typeof value === "object" && value !== null
      ? Object.values(value).flatMap(leaves)
      : [String(value)]

  const outcomes: Record<string, Memory.Options> = {
    "a success": { answer: (request) => Memory.answer(200, Operations.answerTo(request)) },
    "a decline": {
      answer: (request) =>
        Memory.answer(
          200,
          Operations.answerTo(request).replace(
            /"(?:NEW|PENDING|CUSTOMER_VERIFICATION)"/u,
            '"FAILED"'
          )
        )
    },
    "a rejection": { answer: () => Memory.answer(200, { errorCode: "LIMIT_EXCEEDED" }) },
    "a silence": { answer: () => Effect.never },
    "a lost answer": { answer: () => Memory.answer(200, '{"transactionId":') },
    "a refused token": { answer: () => Memory.answer(401, token) },
    "a refusal that quotes the request": {
      answer: (request) =>
        Memory.answer(400, {
          message: `${request.body} with ${request.headers["authorization"]} is not right`,
          errors: leaves(JSON.parse(request.body ?? "null")).map((value) => ({
            field: "card",
            message: `${value} and ${request.headers["authorization"]} are not right`
          }))
        })
    },
    "wrong credentials": {
      auth: (n) =>
        Memory.answer(n % 2 === 0 ? 400 : 401, {
          errors: { merchantSecret: "secret-canary-93ad key-canary-1b7c" }
        })
    },
    "a token that cannot be sent": { auth: () => Memory.answer(200, { token: `${token}\r\n` }) },
    "a token that is nowhere": { auth: () => Memory.answer(200, { elsewhere: token }) },
    "a defect of the transport": { answer: () => Effect.die(new Error("broken")) }
  }

  it.each(Object.entries(outcomes))(
    "appear in no error, log, span or metric after %s",
    async (_, serviceOptions) => {
      const out: Array<string> = []
      const print = (value: unknown) => {
        out.push(String(value), inspect(value, { depth: 20, showHidden: true }))
        out.push(
          JSON.stringify(value, (_key, each) => (typeof each === "bigint" ? String(each) : each)) ??
            ""
        )
      }
      let metrics = ""
      const spans: Array<string> = []
      const tracer = Memory.makeTracer((span, exit) => {
        spans.push(span.name)
        print([span.name, [...span.attributes], span.events, exit])
        if (exit._tag === "Failure") print(Cause.pretty(exit.cause))
      })
      const service = new Memory.Service({
        auth: () => Memory.answer(200, { token }),
        ...serviceOptions
      })
      const logger = Logger.make((options) => {
        print(options.message)
        print(Logger.formatJson.log(options))
        print(Logger.formatLogFmt.log(options))
      })
      await Effect.gen(function* () {
        const reader = yield* StatusReader
        for (const call of [
          ...Operations.operations.map((operation) => operation.call({ requestId: "request-1" })),
          reader.read("card", "7" as never)
        ]) {
          const fiber = yield* Memory.fork(Effect.exit<unknown, unknown, Pawl.Services>(call))
          yield* TestClock.adjust("2 minutes")
          const exit = yield* Fiber.join(fiber)
          print(exit)
          if (exit._tag === "Failure") {
            print(Cause.pretty(exit.cause))
            print(Cause.squash(exit.cause))
            yield* Effect.logError("failed", exit.cause)
          }
        }
        yield* TestClock.adjust("60 days")
        metrics = yield* Metric.dump
        print([metrics, yield* Metric.snapshot])
      }).pipe(
        Effect.provide(Layer.provideMerge(Memory.client(service), Logger.layer([logger]))),
        Effect.provideService(References.MinimumLogLevel, "All"),
        Effect.provideService(Tracer.Tracer, tracer),
        Memory.virtual
      )
      expect(spans).toEqual(
        expect.arrayContaining([
          ...Operations.operations.map(({ name }) => name),
          "StatusReader.read"
        ])
      )
      // A metric for each id would have no end.
      expect(metrics).toContain("pawl.http.call.duration")
      expect(metrics).not.toMatch(/request-1|100001/u)
      const all = out.join("\n")
      // Four digits within a time or an id are not the code.
      expect(new RegExp(`(?<![0-9a-f])${cvv}(?![0-9a-f])`, "u").exec(all)).toBe(null)
      for (const secret of sensitive) {
        for (const spelling of spellings(secret))
          expect(all.includes(spelling) && spelling).toBe(false)
      }
    }
  )
})
