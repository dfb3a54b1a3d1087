/**
 * The laws about what a receiver believes.
 *
 * @since 0.1.0
 */
import { isTerminal, rank, type Status, statuses } from "@pawl/core/Status"
import * as fc from "fast-check"
import * as Generators from "../../../Generators.ts"
import * as Deliveries from "../../../Generators/Deliveries.ts"
import * as Laws from "../../../Laws.ts"
import { type Case, type Kind, show, type Step } from "./Case.ts"
import type { Believing, ReceiverLaw } from "./ReceiverLaw.ts"
import { play } from "./Play.ts"

const genuine = (status: Status): Deliveries.Delivery => ({
  at: 0,
  status,
  amount: "text",
  forged: undefined
})

const says = (status: Status, which = 0): Step => ({ _tag: "Moves", which, status })
const comes = (status: Status, which = 0): Step => ({
  _tag: "Comes",
  which,
  delivery: genuine(status)
})

/**
 * Makes the case of a delivery: the service moves at its pace, and the callback of where it ends up comes in
 * the end, if no earlier one of it did.
 */
const caseOf = (kind: Kind, { deliveries, history }: Deliveries.Delivered): Case => {
  const moves = Deliveries.deliver(history, []).deliveries.map(({ at }, index) => ({
    at,
    step: says(history.statuses[index] ?? "NEW")
  }))
  const [last = "NEW"] = history.statuses.slice(-1)
  const isTold = deliveries.some(({ forged, status }) => forged === undefined && status === last)
  const steps = [
    ...moves,
    ...deliveries.map((delivery) => ({
      at: delivery.at,
      step: { _tag: "Comes", which: 0, delivery } satisfies Step
    }))
  ].toSorted((one, two) => one.at - two.at)
  return {
    kinds: [kind],
    steps: [...steps.map(({ step }) => step), ...(isTold ? [] : [comes(last)])]
  }
}

type DeliveryFault = Deliveries.Delivered["faults"][number]

const payments = ["card-payment", "apm-payment"] as const
type Payment = (typeof payments)[number]

/** Makes the arbitrary of cases of payments, under every honest trouble. */
const cases = (histories: (kind: Payment) => fc.Arbitrary<Generators.History>) =>
  fc.oneof(
    ...payments.map((kind) =>
      Deliveries.deliveries(histories(kind)).map(({ faults, history }) =>
        caseOf(kind, Deliveries.deliver(history, faults.filter(isHonest)))
      )
    )
  )

const isHonest = ({ type }: DeliveryFault): boolean => type !== "forged"

const ends: ReadonlyArray<Status> = statuses.filter(isTerminal)

/** Cases in which somebody claims an end, right after some callback. */
const forgeries = fc.oneof(
  ...payments.map((kind) =>
    fc
      .tuple(Generators.histories(kind), fc.nat({ max: 5 }), fc.constantFrom(...ends))
      .map(([history, index, status]) => {
        const fault = { type: "forged", forgery: "status", index, delay: 500, status } as const
        return caseOf(kind, Deliveries.deliver(history, [fault]))
      })
  )
)

const claimedTooEarly = (kind: Kind, end: Status): Case => ({
  kinds: [kind],
  steps: [
    says("PENDING"),
    comes("PENDING"),
    { _tag: "Comes", which: 0, delivery: { ...genuine(end), forged: "status" } },
    says(end),
    comes(end)
  ]
})

const bothEnd = (kinds: readonly [Kind, Kind], end: Status): Case => ({
  kinds,
  steps: [says("SUCCEED", 0), comes("SUCCEED", 0), says(end, 1), comes(end, 1)]
})

const settles = (subject: Believing, given: Case) => play(subject, given, { settles: true })

/**
 * The laws about beliefs.
 *
 * @category laws
 * @since 0.1.0
 */
export const beliefs: ReadonlyArray<ReceiverLaw<Believing>> = [
  Laws.propertyEffect(
    {
      name: "where the service is in the end is believed, however its callbacks come",
      section: 'spec.md, "States and transitions"',
      explanation:
        "Callbacks come late, out of order, twice or not at all: what came last is not what is last. REFUNDED and CHARGEBACK come after SUCCEED."
    },
    { arbitrary: cases(Generators.histories), show, numRuns: 40, body: settles }
  ),
  Laws.propertyEffect(
    {
      name: "the rank of what is believed never falls",
      section: 'spec.md, "States and transitions"',
      explanation:
        "A late callback tells of the past. Whoever shows it for a moment ships, refunds or reopens in that moment."
    },
    {
      arbitrary: cases(Generators.histories),
      show,
      numRuns: 20,
      body: (subject: Believing, given: Case) => {
        let highest: Status | undefined
        return play(subject, given, {
          watch: ({ believed }) => {
            const [high, now] = [highest, believed].map((each) => (each ? rank(each) : 0))
            if ((now ?? 0) < (high ?? 0)) {
              return `${highest} was believed, and ${believed ?? "nothing"} is now`
            }
            highest = believed
            return undefined
          }
        })
      }
    }
  ),
  Laws.propertyEffect(
    {
      name: "an end is believed only when the service said so",
      section: 'spec.md, "Callback checksum"',
      explanation:
        "The checksum covers neither the status nor the time: who saw one callback can send any status with it. Read an end from the service before acting on it."
    },
    {
      arbitrary: forgeries,
      show,
      numRuns: 20,
      body: (subject: Believing, given: Case) =>
        play(subject, given, {
          watch: ({ believed, said }) =>
            believed !== undefined && isTerminal(believed) && !said.includes(believed)
              ? `${believed} is believed, and the service says ${said.at(-1) ?? "nothing"}`
              : undefined
        })
    }
  ),
  Laws.each(
    {
      name: "a forgery takes nothing from the genuine callback after it",
      section: 'spec.md, "Events"',
      explanation:
        "Whoever drops what came before by transactionId and status drops the true SUCCEED behind a forged one: what is not confirmed is not seen."
    },
    {
      values: [
        ...ends.map((end) => claimedTooEarly("card-payment", end)),
        claimedTooEarly("apm-payment", "SUCCEED")
      ],
      show,
      body: settles
    }
  ),
  Laws.propertyEffect(
    {
      name: "of two ends the one that the service says last is believed",
      section: "docs/decisions/0001",
      explanation:
        "FAILED and then SUCCEED: both were true, one after the other. Their ranks are equal, so only a read can say which holds."
    },
    { arbitrary: cases(Generators.dishonestHistories), show, numRuns: 15, body: settles }
  ),
  Laws.each(
    {
      name: "what is believed of one transaction is nothing to another",
      section: "docs/decisions/0012",
      explanation:
        "Two refunds of one payment have one amount, account and status, and are two: the second is no repeat of the first."
    },
    {
      values: [
        bothEnd(["refund", "refund"], "SUCCEED"),
        bothEnd(["refund", "refund"], "FAILED"),
        bothEnd(["card-payment", "apm-payment"], "FAILED")
      ],
      show,
      body: settles
    }
  ),
  Laws.propertyEffect(
    {
      name: "callbacks that come at once leave what they leave one by one",
      section: 'spec.md, "Events"',
      explanation:
        "Two callbacks of one transaction are answered at the same time: who reads, thinks and then writes loses the first of two writes."
    },
    {
      arbitrary: fc
        .tuple(cases(Generators.histories), fc.scheduler())
        .map(([given, scheduler]): Case => ({ ...given, scheduler })),
      show,
      numRuns: 40,
      body: settles
    }
  ),
  Laws.each(
    {
      name: "a callback outlives a read that fails",
      section: 'spec.md, "Errors"',
      explanation:
        "What was answered 200 is never sent again, and what was marked as seen is dropped when it is: neither may come before all that can fail."
    },
    {
      values: (["500", "503", "reset-before"] as const).map((fault): Case => ({
        kinds: ["card-payment"],
        steps: [says("SUCCEED"), { _tag: "Fails", which: 0, fault }, comes("SUCCEED")]
      })),
      show,
      body: settles
    }
  )
]
