/**
 * The laws about what a receiver answers.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { unknownStatuses } from "../../../Generators.ts"
import * as CallbackRequests from "../../../Generators/CallbackRequests.ts"
import * as Laws from "../../../Laws.ts"
import { type Case, show, type Step } from "./Case.ts"
import { type Answering, expectStatus, type ReceiverLaw, send, Wrong } from "./ReceiverLaw.ts"
import * as Letter from "./Letter.ts"
import * as Malformed from "./Malformed.ts"
import * as Spellings from "./Spelling.ts"

const methods = ["card", "apm"] as const

const caseOf = (...letters: ReadonlyArray<Letter.Letter>): Case => ({
  kinds: [],
  steps: letters.map((letter): Step => ({ _tag: "Sends", letter }))
})

const lettersOf = ({ steps }: Case): ReadonlyArray<Letter.Letter> =>
  steps.flatMap((step) => (step._tag === "Sends" ? [step.letter] : []))

/** Makes the law that every change of a genuine callback is answered alike. */
const answered = (
  status: number,
  changes: ReadonlyArray<Letter.Change>,
  about: Laws.About
): ReceiverLaw<Answering> =>
  Laws.each(about, {
    values: changes.flatMap((change) =>
      methods.map((method) => caseOf(Letter.changed(method, change)))
    ),
    show,
    body: (subject: Answering, given: Case) =>
      Effect.forEach(lettersOf(given), (letter) => expectStatus(subject, letter, status))
  })

/** Posts of any kind, as the service writes them. */
const genuine = (times: number) =>
  CallbackRequests.contents.map((post) =>
    caseOf(...Array.from({ length: times }, () => Letter.said("genuine", post)))
  )

/** The same for a transaction of its own: what was tried before is no first any more. */
const anew = (letter: Letter.Letter) =>
  Effect.map(Random.nextInt, (salt) => Letter.renamed(letter, `conform-${Math.abs(salt)}`))

/** What verifies, and is outside what is documented. */
const strange: ReadonlyArray<Partial<CallbackRequests.CallbackContent>> = [
  ...unknownStatuses.map((status) => ({ status })),
  ...["10.001", "1e2", "-1"].map((amount) => ({
    signed: { ...Letter.genuine("card").signed, amount }
  })),
  { unsigned: { added: { later: [1, true, null] } } }
]

/**
 * The laws about answers.
 *
 * @category laws
 * @since 0.1.0
 */
export const answers: ReadonlyArray<ReceiverLaw<Answering>> = [
  Laws.propertyEffect(
    {
      name: "a genuine callback is answered 200",
      section: 'spec.md, "Events"',
      explanation:
        "An error, or no answer within 10 seconds, has the callback sent five times more and then dropped. It counts for nothing that nobody knows the transaction yet, or how the amount is written: the checksum is over the text as it was sent."
    },
    {
      arbitrary: genuine(1),
      show,
      numRuns: 60,
      body: (subject: Answering, given: Case) =>
        Effect.forEach(lettersOf(given), (letter) => expectStatus(subject, letter, 200))
    }
  ),
  Laws.propertyEffect(
    {
      name: "a repeat is answered 200 as the first was",
      section: 'spec.md, "Events"',
      explanation:
        "Delivery is at least once. A repeat that is refused is sent again until it is dropped."
    },
    {
      arbitrary: genuine(2),
      show,
      numRuns: 20,
      body: Effect.fnUntraced(function* (subject: Answering, given: Case) {
        for (const shown of lettersOf(given).slice(1)) {
          const letter = yield* anew(shown)
          const { status } = yield* send(subject, letter)
          if (status < 300) yield* expectStatus(subject, letter, 200)
        }
      })
    }
  ),
  Laws.each(
    {
      name: "what is signed is answered 200, understood or not",
      section: "docs/decisions/0017",
      explanation:
        "The service may add statuses, fields and more. Whoever refuses what it does not know loses a genuine callback after six tries: keep it, act on nothing, and tell a person."
    },
    {
      values: strange.map((odd) =>
        caseOf(Letter.said("signed", { ...Letter.genuine("card"), ...odd }))
      ),
      show,
      body: (subject: Answering, given: Case) =>
        Effect.forEach(lettersOf(given), (letter) => expectStatus(subject, letter, 200))
    }
  ),
  answered(
    401,
    [
      ...Spellings.wrong.map((spelling) => ({ note: spelling.note, spelling })),
      {
        note: "signed in another order",
        text: (text) => text.split("|").toReversed().join("|")
      },
      {
        note: "with another amount than was signed",
        body: (text) => text.replace("10.00", "99.00")
      }
    ],
    {
      name: "a checksum that is not exactly right is answered 401",
      section: 'spec.md, "Callback checksum"',
      explanation:
        "Compare the header with the canonical base64 as text, untrimmed: ten other spellings decode to the same bytes."
    }
  ),
  Laws.each(
    {
      name: "every failure of the checksum is answered alike",
      section: "docs/decisions/0003",
      explanation: "An answer that tells a missing checksum from a wrong one helps who forges them."
    },
    {
      values: Spellings.wrong
        .slice(1)
        .map((spelling) =>
          caseOf(
            ...[Spellings.missing, spelling].map((each) =>
              Letter.changed("card", { note: each.note, spelling: each })
            )
          )
        ),
      show,
      body: Effect.fnUntraced(function* (subject: Answering, given: Case) {
        const answers = yield* Effect.forEach(lettersOf(given), (letter) => send(subject, letter))
        const refused = answers.filter(({ status }) => status >= 400)
        if (new Set(refused.map(({ body }) => body)).size < 2) return
        const told = refused.map(({ body }) => JSON.stringify(body))
        return yield* new Wrong({ message: `they are answered ${told.join(" and ")}` })
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
      name: "what is not posted is answered 405",
      section: 'spec.md, "Events"',
      explanation: "A callback is an HTTP POST; nothing else can be one."
    }
  ),
  answered(413, Malformed.large, {
    name: "what is larger than 64 KiB is answered 413",
    section: "docs/decisions/0027",
    explanation:
      "Whoever may send anything fills the memory of who reads everything. No callback comes near 64 KiB."
  }),
  answered(415, Malformed.types, {
    name: "what is not plain JSON by its header is answered 415",
    section: 'spec.md, "Common rules"',
    explanation:
      "Bodies are JSON in UTF-8. What is unpacked or guessed at before the checksum is what attacks are made of."
  }),
  answered(400, Malformed.bodies, {
    name: "a body that is no sound JSON object is answered 400",
    section: "docs/decisions/0011",
    explanation:
      "Of two fields with one name parsers take either, and decoders mend what is not UTF-8: what was signed has to be what is read."
  }),
  answered(400, Malformed.fields, {
    name: "a signed field that can be read in two ways is answered 400",
    section: 'spec.md, "Callback checksum"',
    explanation:
      "Fields are joined with a bar: one that holds a bar, is empty, missing or no text signs like another. The checksum of these holds."
  }),
  answered(400, Malformed.routes, {
    name: "a callback whose kind is in doubt is answered 400",
    section: "docs/decisions/0013",
    explanation:
      "Both kinds are signed alike, and paymentMethod is not signed: a card callback verifies as one of APM unless query and fields have to agree."
  })
]
