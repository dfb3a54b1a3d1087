import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { isTerminal, type Status } from "@pawl/core/Status"
import type * as Faults from "../../../Faults.ts"
import {
  type ClientLaw,
  inOrder,
  law,
  one,
  oneOf,
  order,
  requestFaults,
  refundOf
} from "./ClientLaw.ts"
import { expect } from "../Expect.ts"

export const readAndChangeLaws: ReadonlyArray<ClientLaw> = [
  law(
    {
      name: "an identifier is one segment of the path, or is not sent (B01)",
      section: 'spec.md, "Endpoints"',
      explanation:
        "`..` addresses another endpoint, even when it is escaped; `?` and `#` end the path. Validate an identifier from outside before you send it."
    },
    {
      events: oneOf(
        "..",
        ".",
        "",
        "../card",
        "7/../8",
        "7?x=1",
        "7#",
        "%2e%2e",
        "..\\7",
        "7;8",
        "é"
      ),
      show: JSON.stringify
    },
    function* ({ apiRequests, client, settle }, [id = ""]) {
      const { cancel, change, status } = client
      const operations = [
        [status, "/api/v1/payments/apm/status/"],
        [change, "/api/v1/payments/card/recurring/"],
        [cancel, "/api/v1/payments/card/recurring/"]
      ] as const
      for (const [operation, path] of operations) {
        const { length } = apiRequests()
        yield* Effect.ignore(settle(() => Promise.resolve(operation?.(id))))
        for (const { url } of apiRequests().slice(length)) {
          expect(url.pathname).toSatisfy(`a path below ${path}`, (sent) => sent.startsWith(path))
          expect(decodeURIComponent(url.pathname.slice(path.length))).toBe(id)
          expect(url.search).toBe("")
        }
      }
    }
  ),

  law(
    {
      name: "a transaction is polled until its first terminal status, and no further (C07)",
      section: 'spec.md, "Events"',
      explanation:
        "Polling stops at a terminal status: not at the first change, not only at SUCCEED, not at an unknown status, and not at a missing response."
    },
    {
      events: fc
        .tuple(
          fc.constantFrom("succeed", "decline:51", "cancel", "challenge"),
          requestFaults(["none", "unknown", "503", "reset-before"], 3)
        )
        .map(([scenario, faults]) => [scenario, ...faults])
    },
    function* (
      { client, settle, apiRequests, transactions, setFaults },
      [scenario = "", ...faults]
    ) {
      const { follow } = client
      if (follow === undefined) return
      const metadata = { "sandbox.scenario": scenario }
      yield* Effect.ignore(settle(() => client.create(order({ metadata }))))
      setFaults(inOrder(faults as ReadonlyArray<Faults.Kind>))
      const status = yield* settle(() => follow("100001"))
      expect(status).toSatisfy("a terminal status", (last) => isTerminal(last as Status))
      expect((yield* transactions)[0]?.status).toBe(status)
      const { length } = apiRequests()
      setFaults(() => "none")
      yield* settle(() => client.status("100001"))
      const further = apiRequests().length - length - 1
      expect(further).toSatisfy("no further read", (count) => count === 0)
    }
  ),

  law(
    {
      name: "the gaps between reads of a poll start at 5 minutes and grow",
      section: 'spec.md, "Events"',
      explanation:
        "Poll after 5 minutes without a callback, then back off 5, 10, 30, 60 minutes. A transaction that hangs is read about 24 times a day."
    },
    { events: oneOf("succeed") },
    function* ({ apiRequests, client, settle }) {
      const { follow } = client
      if (follow === undefined) return
      yield* settle(() => client.create(order()))
      const before = apiRequests().length
      yield* settle(() => follow("100001"))
      const reads = apiRequests().slice(before)
      const gaps = reads.slice(1).map(({ at }, index) => at - (reads[index]?.at ?? 0))
      expect(gaps).toSatisfy(
        "gaps of 300,000 ms and more that grow",
        (gaps) =>
          gaps.every((gap, index) => gap >= Math.max(300_000, gaps[index - 1] ?? 0)) &&
          (gaps.at(-1) ?? 0) > 300_000
      )
    }
  ),

  law(
    {
      name: "a refund sends its transactionId as an Integer, digit for digit, and its amount as given",
      section: "docs/decisions/0005",
      explanation:
        "transactionId is text in responses and an Integer in the refund request. A JavaScript number is exact up to 15 digits: a longer id would name another payment."
    },
    { events: one(fc.bigInt(1n, 10n ** 20n).map(String)) },
    function* ({ apiRequests, client, settle }, [transactionId = ""]) {
      const { refund } = client
      if (refund === undefined) return
      const refunded = refundOf(transactionId)
      yield* Effect.ignore(settle(() => refund(refunded)))
      const { body } = apiRequests().find(({ method }) => method === "POST") ?? { body: "{}" }
      expect(body).toSatisfy(
        `"transactionId":${transactionId}`,
        (sent) => /"transactionId":\s*(\d+)\s*[,}]/u.exec(sent)?.[1] === transactionId
      )
      expect(JSON.parse(body)).toMatchObject({ amount: refunded.amount })
    }
  ),

  law(
    {
      name: "a subscription change is sent once, unless its access token was refused (C22)",
      section: 'spec.md, "Recurring subscriptions"',
      explanation:
        "The body of a PUT has no requestId: the service cannot tell a repeat from another change, and a repeat would undo a change made in between."
    },
    { events: [[], ...oneOf("500", "503", "reset-before", "reset-after", "401")] },
    function* ({ apiRequests, client, setFaults, settle }, faults) {
      const { change } = client
      if (change === undefined) return
      setFaults(inOrder(faults))
      yield* Effect.ignore(settle(() => change("7")))
      const attempts = apiRequests().filter(
        ({ method, status }) => method !== "GET" && status !== 401
      )
      expect(attempts.length).toSatisfy("at most 1 request", (count) => count <= 1)
    }
  ),

  law(
    {
      name: "a cancellation answered 404 succeeds only if an earlier attempt may have taken effect (C22)",
      section: 'spec.md, "Recurring subscriptions"',
      explanation:
        "DELETE answers 404 if there is nothing to cancel: this is success after an attempt whose response was lost, and an error at the first attempt."
    },
    { events: [[], ...oneOf("reset-after", "500")] },
    function* ({ client, setFaults, settle }, faults) {
      const { cancel } = client
      if (cancel === undefined) return
      setFaults(inOrder(faults))
      const result = yield* Effect.match(
        settle(() => cancel("7")),
        { onFailure: () => "an error", onSuccess: () => "a success" }
      )
      expect(result).toBe(faults.length > 0 ? "a success" : "an error")
    }
  )
]
