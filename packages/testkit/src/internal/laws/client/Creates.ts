/**
 * The laws of how a client starts a payment.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { type ClientLaw, inTurn, law, one, oneOf, order, weathers } from "./ClientLaw.ts"
import { expect } from "../Expect.ts"

/** What no checksum and no JSON has trouble with. */
const isWord = (text: string): boolean => /^[^|\p{Cc}\p{Cs}]+$/u.test(text)

/**
 * What `create` does.
 *
 * @category laws
 * @since 0.1.0
 */
export const creating: ReadonlyArray<ClientLaw> = [
  law(
    {
      name: "every try of a create is the same bytes, so it takes effect once (C03)",
      section: 'spec.md, "Conventions"',
      explanation:
        "The answer to a create may be lost after the service carried it out. Sent again with its requestId, it is answered with the original; with another, the customer pays twice."
    },
    { events: weathers() },
    function* ({ client, during, others, transactions, weather }, faults) {
      weather(inTurn(faults))
      yield* Effect.ignore(during(() => client.create(order())))
      expect(new Set(others().map(({ body }) => body)).size).toBe(1)
      expect((yield* transactions).length <= 1).toBe(true)
    }
  ),

  law(
    {
      name: "what a create is answered is the truth of it",
      section: 'spec.md, "Errors"',
      explanation:
        "A decline is told by FAILED in an ordinary answer, not by an HTTP error. Accepted is what the service has and did not decline, and nothing else."
    },
    { events: oneOf("succeed", "stuck", "decline:51", "decline:5") },
    function* ({ client, during, transactions }, [story = ""]) {
      const metadata = { "sandbox.scenario": story }
      const { outcome, ...rest } = yield* during(() => client.create(order({ metadata })))
      const [transaction] = yield* transactions
      expect({ outcome, ...rest }).toEqual({
        outcome: transaction?.status === "FAILED" ? "declined" : "accepted",
        transactionId: transaction?.transactionId
      })
    }
  ),

  law(
    {
      name: "a create that may have taken effect is never called refused (C7)",
      section: "docs/decisions/0020",
      explanation:
        "Whoever is told that it was refused orders anew. After a broken connection, a 5xx or an answer that cannot be read, all that can be said is: unknown."
    },
    { events: oneOf("reset-after", "500", "503", "truncate", "content-type") },
    function* ({ client, during, weather }, faults) {
      weather(() => faults[0] ?? "fine")
      const told = yield* Effect.orElseSucceed(
        during(() => client.create(order())),
        () => ({ outcome: "unknown" })
      )
      expect(["unknown", "accepted"].includes(told.outcome)).toBe(true)
    }
  ),

  law(
    {
      name: "what failed in passing is tried again, and then done",
      section: 'spec.md, "Errors"',
      explanation:
        "500 says: retry with exponential backoff. So does a connection that broke. A read may always be repeated, a create because it has a requestId."
    },
    { events: [[], ...oneOf("500", "503", "reset-before", "reset-after", "truncate")] },
    function* ({ client, during, weather }, faults) {
      weather(inTurn(faults))
      const { outcome } = yield* during(() => client.create(order()))
      expect(outcome).toBe("accepted")
      weather(inTurn(faults))
      expect(yield* during(() => client.status("100001"))).toBe("NEW")
    }
  ),

  law(
    {
      name: "what the service refuses is called refused, and is not sent again",
      section: 'spec.md, "Errors"',
      explanation: "400 says what is wrong with the request: it will be as wrong the next time."
    },
    { events: oneOf("", "-1", "1e3", "10,00", "ten", "01.00", "１0") },
    function* ({ client, during, others }, [amount = ""]) {
      const told = yield* during(() => client.create(order({ amount })))
      expect(told).toEqual({ outcome: "refused" })
      expect(others().length <= 1).toBe(true)
    }
  ),

  law(
    {
      name: "what is asked for is what was ordered, letter for letter, under a checksum that is right",
      section: 'spec.md, "Request checksum"',
      explanation:
        "An amount is text, and a number is no amount: 0.10 would be 0.1, and 90071992547409.93 another one. The checksum is over the fields as sent, joined by |, in UTF-8."
    },
    {
      events: one(
        fc.record({
          amount: fc
            .tuple(fc.bigInt(1n, 10n ** 16n), fc.constantFrom("", ".5", ".10", ".00", ".93"))
            .map(([whole, cents]) => `${whole}${cents}`),
          requestId: fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 }).filter(isWord),
          accountId: fc.nat().map(String)
        })
      ),
      show: JSON.stringify
    },
    function* ({ client, during, transactions }, [given = {}]) {
      const wanted = order(given)
      const told = yield* during(() => client.create(wanted))
      expect(told).toMatchObject({ outcome: "accepted" })
      const { accountId, amount, currency, requestId } = wanted
      expect((yield* transactions)[0]).toMatchObject({ accountId, amount, currency, requestId })
    }
  ),

  law(
    {
      name: "no redirect is followed (C21, C4)",
      section: "docs/decisions/0020",
      explanation:
        "A redirect to another host would take the token there, and the card with it. The service documents none."
    },
    { events: oneOf("create", "status") },
    function* ({ client, during, others, weather }, [operation = ""]) {
      weather(inTurn(["redirect"]))
      yield* Effect.ignore(
        during((): Promise<unknown> =>
          operation === "create" ? client.create(order()) : client.status("100001")
        )
      )
      expect([...new Set(others().map(({ url }) => url.host))]).toEqual(["service.invalid"])
    }
  )
]
