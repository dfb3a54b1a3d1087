/**
 * The laws of how a client reads, and changes what is there already.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { isTerminal, type Status } from "@pawl/core/Status"
import type * as Faults from "../../../Faults.ts"
import { type ClientLaw, inTurn, law, one, oneOf, order, weathers } from "./ClientLaw.ts"
import { expect } from "../Expect.ts"

/**
 * What `status`, `follow`, `refund`, `change` and `cancel` do.
 *
 * @category laws
 * @since 0.1.0
 */
export const changing: ReadonlyArray<ClientLaw> = [
  law(
    {
      name: "an identifier is one segment of the path, or is not sent (B01)",
      section: 'spec.md, "Endpoints"',
      explanation:
        "`..` asks for another endpoint, even escaped as a URL says; `?` and `#` cut the path off. What comes from outside is looked at before it is sent."
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
    function* ({ client, during, others }, [id = ""]) {
      yield* Effect.ignore(during(() => client.status(id)))
      for (const { url } of others()) {
        const place = "/api/v1/payments/apm/status/"
        expect(url.pathname.startsWith(place)).toBe(true)
        expect(decodeURIComponent(url.pathname.slice(place.length))).toBe(id)
        expect(url.search).toBe("")
      }
    }
  ),

  law(
    {
      name: "a transaction is followed to its end, whatever it is, and not further (C07)",
      section: 'spec.md, "Events"',
      explanation:
        "The end is a status that is one: not the first change, not SUCCEED alone, not one that nobody knows, nor an answer that did not come."
    },
    {
      events: fc
        .tuple(
          fc.constantFrom("succeed", "decline:51", "cancel", "challenge"),
          weathers(["fine", "unknown", "503", "reset-before"], 3)
        )
        .map(([story, faults]) => [story, ...faults])
    },
    function* ({ client, during, others, transactions, weather }, [story = "", ...faults]) {
      const { follow } = client
      if (follow === undefined) return
      const metadata = { "sandbox.scenario": story }
      yield* Effect.ignore(during(() => client.create(order({ metadata }))))
      weather(inTurn(faults as ReadonlyArray<Faults.Kind>))
      const told = yield* during(() => follow("100001"))
      expect(isTerminal(told as Status)).toBe(true)
      expect((yield* transactions)[0]?.status).toBe(told)
      const { length } = others()
      weather(() => "fine")
      yield* during(() => client.status("100001"))
      expect(others().length).toBe(length + 1)
    }
  ),

  law(
    {
      name: "a poll waits longer and longer: 5 minutes first, and at least as long as the time before",
      section: 'spec.md, "Events"',
      explanation:
        "Poll after 5 minutes without a callback, then back off 5, 10, 30, 60 minutes. One transaction that hangs is asked about 24 times a day and no more."
    },
    { events: oneOf("succeed") },
    function* ({ client, during, others }) {
      const { follow } = client
      if (follow === undefined) return
      yield* during(() => client.create(order()))
      const before = others().length
      // It is 45 minutes until its end.
      yield* during(() => follow("100001"))
      const reads = others().slice(before)
      const gaps = reads.slice(1).map(({ at }, index) => at - (reads[index]?.at ?? 0))
      expect(gaps.every((gap, index) => gap >= 300_000 && gap >= (gaps[index - 1] ?? 0))).toBe(true)
      expect((gaps.at(-1) ?? 0) > 300_000).toBe(true)
    }
  ),

  law(
    {
      name: "a refund names its payment by an Integer, digit for digit",
      section: "docs/decisions/0016",
      explanation:
        "transactionId is text in answers and an Integer in the refund request. A number of JavaScript has no place for more than 15 digits: it would name another payment."
    },
    { events: one(fc.bigInt(1n, 10n ** 20n).map(String)) },
    function* ({ client, during, others }, [transactionId = ""]) {
      const { refund } = client
      if (refund === undefined) return
      const fields = { requestId: "refund-1", mid: "mid-1", amount: "1.00", reason: "duplicate" }
      yield* Effect.ignore(during(() => refund({ ...fields, transactionId })))
      expect(/"transactionId":\s*(\d+)\s*[,}]/u.exec(others()[0]?.body ?? "")?.[1]).toBe(
        transactionId
      )
    }
  ),

  law(
    {
      name: "a change is sent once, unless it was refused for its token (C22)",
      section: 'spec.md, "Recurring subscriptions"',
      explanation:
        "The body of a PUT carries no requestId: nobody can tell a repeat from another change, and what was changed in between would be undone."
    },
    { events: [[], ...oneOf("500", "503", "reset-before", "reset-after", "401")] },
    function* ({ client, during, others, weather }, faults) {
      const { change } = client
      if (change === undefined) return
      weather(inTurn(faults))
      yield* Effect.ignore(during(() => change("7")))
      expect(others().filter(({ status }) => status !== 401).length <= 1).toBe(true)
    }
  ),

  law(
    {
      name: "a cancellation that finds nothing left is done if a try before it may have been (C22)",
      section: 'spec.md, "Recurring subscriptions"',
      explanation:
        "DELETE answers 404 when there is nothing to cancel: after a try whose answer was lost that is success, at the first try it is an error."
    },
    { events: [[], ...oneOf("reset-after", "500")] },
    function* ({ client, during, weather }, faults) {
      const { cancel } = client
      if (cancel === undefined) return
      weather(inTurn(faults))
      // Nothing has this number, so what comes after the faults is 404.
      const isDone = yield* Effect.isSuccess(during(() => cancel("7")))
      expect(isDone).toBe(faults.length > 0)
    }
  )
]
