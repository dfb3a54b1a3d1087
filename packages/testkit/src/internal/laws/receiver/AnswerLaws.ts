import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as fc from "fast-check"
import type { Method } from "@pawl/core/Kind"
import { unknownStatuses } from "../../../Generators.ts"
import * as CallbackRequests from "../../generators/CallbackRequests.ts"
import * as Laws from "../../../Laws.ts"
import * as CallbackRequest from "./CallbackRequest.ts"
import { type CaseStep, changeTo, deliver, type ReceiverCase, show } from "./Case.ts"
import * as ChecksumEncoding from "./ChecksumEncoding.ts"
import * as Malformed from "./Malformed.ts"
import {
  type Answering,
  expectStatus,
  type ReceiverLaw,
  ReceiverWrong,
  type Reporting,
  send
} from "./ReceiverLaw.ts"
import { run } from "./Run.ts"

const methods = ["card", "apm"] as const

const caseOf = (...requests: ReadonlyArray<CallbackRequest.CallbackRequest>): ReceiverCase => ({
  kinds: [],
  steps: requests.map((request): CaseStep => ({ _tag: "Send", request }))
})

const requestsOf = ({ steps }: ReceiverCase): ReadonlyArray<CallbackRequest.CallbackRequest> =>
  steps.flatMap((step) => (step._tag === "Send" ? [step.request] : []))

const expectAll = (status: number) => (subject: Answering, value: ReceiverCase) =>
  Effect.forEach(requestsOf(value), (request) => expectStatus(subject, request, status))

const answered = (
  status: number,
  changes: ReadonlyArray<CallbackRequest.Change>,
  text: Laws.LawText
): ReceiverLaw<Answering> =>
  Laws.each(text, {
    values: changes.flatMap((change) =>
      methods.map((method) => caseOf(CallbackRequest.changed(method, change)))
    ),
    show,
    body: expectAll(status)
  })

const genuine = (times: number) =>
  CallbackRequests.contents.map((content) =>
    caseOf(
      ...Array.from({ length: times }, () =>
        CallbackRequest.withBodyInNote("genuine", { ...content, amount: "text" })
      )
    )
  )

/** Gives a callback a new transactionId, because shrinking sends a callback several times. */
const withNewId = (request: CallbackRequest.CallbackRequest) =>
  Effect.map(Random.nextInt, (salt) =>
    CallbackRequest.withTransactionId(request, `conform-${Math.abs(salt)}`)
  )

/** Repeats of callbacks of a transaction that has ended, the second late. */
const settled = (["card-payment", "apm-payment"] as const).flatMap((kind) =>
  [
    [changeTo("SUCCEED"), deliver("SUCCEED"), deliver("SUCCEED")],
    [changeTo("SUCCEED"), deliver("PENDING"), deliver("SUCCEED"), deliver("PENDING")]
  ].map((steps): ReceiverCase => ({ kinds: [kind], steps }))
)

const isReporting = (subject: Answering): subject is Reporting => "service" in subject

const undocumented: ReadonlyArray<(method: Method) => Partial<CallbackRequests.CallbackContent>> = [
  ...unknownStatuses.map((status) => () => ({ status })),
  ...["10.001", "1e2", "-1"].map((amount) => (method: Method) => ({
    signed: { ...CallbackRequest.genuine(method).signed, amount }
  })),
  () => ({ unsigned: { added: { later: [1, true, null] } } })
]

export const answerLaws: ReadonlyArray<ReceiverLaw<Answering>> = [
  Laws.propertyEffect(
    {
      name: "a genuine callback is answered 200",
      section: 'spec.md, "Events"',
      explanation:
        "After an error, or no response within 10 seconds, the service sends the callback five more times and then drops it. A transaction that the receiver does not know yet is no error."
    },
    { arbitrary: genuine(1), show, numRuns: 60, body: expectAll(200) }
  ),
  Laws.each(
    {
      name: "a genuine callback whose amount is a JSON number is answered 200",
      section: "docs/decisions/0003",
      explanation:
        "The checksum covers the amount as it was sent, 10.00, and a parsed number is written as 10: take the digits from the body. The specification does not say whether the amount of a callback is text."
    },
    {
      values: methods.flatMap((method) =>
        ["10.00", "0.5", "7", "123456789.10"].map((amount) =>
          caseOf(
            CallbackRequest.withBodyInNote("genuine", {
              ...CallbackRequest.genuine(method),
              signed: { ...CallbackRequest.genuine(method).signed, amount },
              amount: "number"
            })
          )
        )
      ),
      show,
      body: expectAll(200)
    }
  ),
  Laws.propertyEffect(
    {
      name: "a repeated callback is answered 200, like the first",
      section: 'spec.md, "Events"',
      explanation:
        "Delivery is at least once. A repeat that is refused is sent again until it is dropped, also after the transaction has ended."
    },
    {
      arbitrary: fc.oneof({ withCrossShrink: true }, genuine(2), fc.constantFrom(...settled)),
      show,
      numRuns: 40,
      body: Effect.fnUntraced(function* (subject: Answering, value: ReceiverCase) {
        if (value.kinds.length > 0) {
          return isReporting(subject) && (yield* run(subject, value, { isAnswered: true }))
        }
        for (const shown of requestsOf(value).slice(1)) {
          const request = yield* withNewId(shown)
          const { status } = yield* send(subject, request)
          if (status < 300) yield* expectStatus(subject, request, 200)
        }
      })
    }
  ),
  Laws.each(
    {
      name: "a callback with a valid checksum and unknown content is answered 200",
      section: "docs/decisions/0008",
      explanation:
        "The service may add statuses and fields. A receiver that refuses them loses genuine callbacks after six attempts: store such a callback, do not act on it, and report it to a person."
    },
    {
      values: methods.flatMap((method) =>
        undocumented.map((content) =>
          caseOf(
            CallbackRequest.withBodyInNote("signed", {
              ...CallbackRequest.genuine(method),
              ...content(method)
            })
          )
        )
      ),
      show,
      body: expectAll(200)
    }
  ),
  answered(
    401,
    [
      ...ChecksumEncoding.wrong.map((encoding) => ({ note: encoding.note, encoding })),
      {
        note: "with its fields signed in another order",
        text: (text) => text.split("|").toReversed().join("|")
      },
      {
        note: "with another amount than the signed one",
        body: (text) => text.replace("10.00", "99.00")
      }
    ],
    {
      name: "a checksum that is not exactly right is answered 401",
      section: "docs/decisions/0003",
      explanation:
        "The specification says that such a callback is discarded, and not how it is answered; with 401 a wrong secret loses no callback at once. Compare the header with the canonical base64 as text, without trimming: ten other encodings decode to the same bytes."
    }
  ),
  Laws.each(
    {
      name: "every wrong checksum is answered alike",
      section: "docs/decisions/0003",
      explanation: "A response that tells a missing checksum from a wrong one helps a forger."
    },
    {
      values: ChecksumEncoding.wrong
        .slice(1)
        .map((encoding) =>
          caseOf(
            ...[ChecksumEncoding.missing, encoding].map((each) =>
              CallbackRequest.changed("card", { note: each.note, encoding: each })
            )
          )
        ),
      show,
      body: Effect.fnUntraced(function* (subject: Answering, value: ReceiverCase) {
        const responses = yield* Effect.forEach(requestsOf(value), (request) =>
          send(subject, request)
        )
        const refusals = responses.filter(({ status }) => status >= 400)
        const bodies = new Set(refusals.map(({ body }) => JSON.stringify(body)))
        if (bodies.size < 2) return
        return yield* new ReceiverWrong({
          message: `the responses differ: ${[...bodies].join(" and ")}`
        })
      })
    }
  ),
  answered(
    405,
    ["GET", "HEAD", "PUT", "PATCH", "DELETE"].map((method) => ({
      note: `sent with ${method}`,
      incoming: { method }
    })),
    {
      name: "an HTTP method other than POST is answered 405",
      section: "docs/decisions/0034",
      explanation: "A callback is an HTTP POST."
    }
  ),
  answered(413, Malformed.large, {
    name: "a body larger than 64 KiB is answered 413",
    section: "docs/decisions/0034",
    explanation:
      "A receiver without a limit can be made to run out of memory. No genuine callback comes near 64 KiB."
  }),
  answered(415, Malformed.mediaTypes, {
    name: "a content type or encoding other than plain JSON is answered 415",
    section: "docs/decisions/0034",
    explanation:
      "Bodies are JSON in UTF-8. Decompressing a body, or guessing its charset, before the checksum is verified opens the receiver to attacks."
  }),
  answered(400, Malformed.bodies, {
    name: "a body that is not one well-formed JSON object is answered 400",
    section: "docs/decisions/0003",
    explanation:
      "Parsers differ in which of two fields with one name they take, and decoders replace bytes that are not UTF-8: the receiver has to read exactly the content that was signed."
  }),
  answered(400, Malformed.fields, {
    name: "an ambiguous signed field is answered 400",
    section: "docs/decisions/0003",
    explanation:
      "Fields are joined with a bar. A field that contains a bar, is empty, missing or not text has the same checksum text as another field. The checksums of these callbacks verify."
  }),
  answered(400, Malformed.methods, {
    name: "a callback of an ambiguous kind is answered 400",
    section: "docs/decisions/0003",
    explanation:
      "Card and APM callbacks are signed alike, and paymentMethod is not signed: a card callback verifies as an APM callback unless the query and the fields have to agree."
  })
]
