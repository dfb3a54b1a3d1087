import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import {
  type ClientLaw,
  inOrder,
  law,
  lawOfOperations,
  one,
  oneOf,
  order,
  refundOf,
  requestFaults
} from "./ClientLaw.ts"
import { expect } from "../Expect.ts"

const isWord = (text: string): boolean => /^[^|\p{Cc}\p{Cs}]+$/u.test(text)

export const createLaws: ReadonlyArray<ClientLaw> = [
  law(
    {
      name: "the outcome of a create is what the service did",
      section: 'spec.md, "Errors"',
      explanation:
        "A decline is the status FAILED in an ordinary response, not an HTTP error. A payment is accepted if the service has it and did not decline it."
    },
    { events: oneOf("succeed", "stuck", "challenge", "decline:51", "decline:5") },
    function* ({ client, settle, transactions }, [scenario = ""]) {
      const metadata = { "sandbox.scenario": scenario }
      const { outcome, ...rest } = yield* settle(() => client.create(order({ metadata })))
      const [transaction] = yield* transactions
      expect({ outcome, ...rest }).toEqual({
        outcome: transaction?.status === "FAILED" ? "declined" : "accepted",
        transactionId: transaction?.transactionId
      })
    }
  ),

  law(
    {
      name: "every attempt of a create sends the same bytes, so it takes effect once (C03)",
      section: 'spec.md, "Conventions"',
      explanation:
        "The response to a create may be lost after the service carried it out. If it is sent again with its requestId, the response is the original one; with another requestId, the customer pays twice, or is refunded twice."
    },
    { events: requestFaults() },
    function* ({ apiRequests, client, setFaults, settle, transactions }, faults) {
      setFaults(inOrder(faults))
      yield* Effect.ignore(settle(() => client.create(order())))
      const bodies = () => [
        ...new Set(apiRequests().flatMap(({ body, method }) => (method === "POST" ? body : [])))
      ]
      expect(bodies()).toSatisfy("one body, in every attempt", ({ length }) => length === 1)
      expect((yield* transactions).length).toSatisfy("at most 1 payment", (count) => count <= 1)
      const { refund } = client
      if (refund === undefined) return
      setFaults(inOrder(faults))
      yield* Effect.ignore(settle(() => refund(refundOf("100001"))))
      expect(bodies().slice(1)).toSatisfy("one body of the refund", ({ length }) => length <= 1)
    }
  ),

  law(
    {
      name: "a create that may have taken effect is never reported as refused (C7)",
      section: "docs/decisions/0010",
      explanation:
        "A merchant who sees a refusal orders again. After a broken connection, a 5xx or an unreadable response, the outcome is unknown, and a later 401 does not change that."
    },
    {
      events: [
        ...oneOf("reset-after", "500", "503", "truncate", "content-type"),
        ["reset-after", "401"]
      ] as const
    },
    function* ({ client, setFaults, settle }, faults) {
      setFaults((n) => faults[n] ?? faults.at(-1) ?? "none")
      const result = yield* Effect.orElseSucceed(
        settle(() => client.create(order())),
        () => ({ outcome: "unknown" })
      )
      expect(result.outcome).toSatisfy("unknown or accepted", (outcome) =>
        /^(?:unknown|accepted)$/u.test(outcome)
      )
    }
  ),

  law(
    {
      name: "a temporary failure is retried until the request succeeds",
      section: 'spec.md, "Errors"',
      explanation:
        "Retry after a 500 with exponential backoff, and after a broken connection. A read may always be repeated; a create may be repeated because it has a requestId."
    },
    { events: [[], ...oneOf("500", "503", "reset-before", "reset-after", "truncate")] },
    function* ({ client, setFaults, settle }, faults) {
      setFaults(inOrder(faults))
      const { outcome } = yield* settle(() => client.create(order()))
      expect(outcome).toBe("accepted")
      setFaults(inOrder(faults))
      expect(yield* settle(() => client.status("100001"))).toBe("NEW")
    }
  ),

  law(
    {
      name: "a refused create is reported as refused, and not sent again",
      section: 'spec.md, "Errors"',
      explanation: "A 400 means that the request is wrong, and will be wrong the next time too."
    },
    { events: oneOf("", "-1", "1e3", "10,00", "ten", "01.00", "１0") },
    function* ({ apiRequests, client, settle }, [amount = ""]) {
      const result = yield* settle(() => client.create(order({ amount })))
      expect(result).toEqual({ outcome: "refused" })
      expect(apiRequests().length).toSatisfy("at most 1 request", (count) => count <= 1)
    }
  ),

  law(
    {
      name: "the service receives the order exactly as given, with a valid checksum",
      section: 'spec.md, "Request checksum"',
      explanation:
        "An amount is text. As a number, 0.10 becomes 0.1, and 90071992547409.93 becomes another amount. The checksum covers the fields as sent, joined by |, in UTF-8."
    },
    {
      events: one(
        fc.record({
          amount: fc
            .tuple(fc.bigInt(1n, 10n ** 16n), fc.constantFrom("", ".5", ".10", ".00", ".93"))
            .map(([whole, cents]) => `${whole}${cents}`),
          requestId: fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 }).filter(isWord),
          accountId: fc.nat().map(String),
          currency: fc.constantFrom("EUR", "USD"),
          apmPayload: fc.record({
            paymentMethod: fc.constantFrom("WALLET", "VOUCHER"),
            paymentType: fc.constantFrom("SALE", "HOLD")
          }),
          metadata: fc.dictionary(
            fc.constantFrom("cart", "note"),
            fc.string({ unit: "grapheme" }),
            // An empty map may be left out.
            { minKeys: 1, noNullPrototype: true }
          )
        })
      ),
      show: (fields) =>
        JSON.stringify(fields).replaceAll(
          /[^ -~]/gu,
          (each) => `\\u{${each.codePointAt(0)?.toString(16)}}`
        )
    },
    function* ({ client, settle, transactions }, [fields = {}]) {
      const ordered = order(fields)
      const result = yield* settle(() => client.create(ordered))
      expect(result).toMatchObject({ outcome: "accepted" })
      expect((yield* transactions)[0]).toMatchObject(ordered)
    }
  ),

  lawOfOperations(
    {
      name: "no redirect is followed (C21, C4)",
      section: "docs/decisions/0010",
      explanation:
        "A redirect to another host would send it the access token and the card. The service documents no redirects."
    },
    [["redirect"]],
    function* ({ apiRequests, setFaults, settle }, call, faults) {
      setFaults(inOrder(faults))
      yield* Effect.ignore(settle(call))
      expect([...new Set(apiRequests().map(({ url }) => url.host))]).toEqual(["service.invalid"])
    }
  )
]
