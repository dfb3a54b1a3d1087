import { isLeased, type RequestRow } from "@pawl/webhook/internal/rule/RequestRow"
import type { RequestStore } from "@pawl/webhook/internal/ledger/RequestStore"
import * as Effect from "effect/Effect"
import { bugsOf } from "@pawl/test-support/Bugs"

type Service = RequestStore["Service"]

type ChangeStore = (store: Service) => Partial<Service>

const shown =
  (change: (row: RequestRow) => RequestRow) =>
  (store: Service): Partial<Service> => ({
    get: (requestId) => Effect.map(store.get(requestId), (row) => row && change(row))
  })

type Claimed = Effect.Success<ReturnType<Service["claim"]>>["rows"][number]

const claimed =
  (change: (row: Claimed) => Claimed): ChangeStore =>
  (store) => ({
    claim: (options) =>
      Effect.map(store.claim(options), ({ dueAt, rows }) => ({ dueAt, rows: rows.map(change) }))
  })

/** A registration is left out of the settlements of some rows. */
const unregistered =
  (isOut: (row: RequestRow | undefined) => boolean): ChangeStore =>
  (store) => ({
    settle: (requestId, settlement, registration) =>
      Effect.flatMap(store.get(requestId), (row) =>
        store.settle(requestId, settlement, isOut(row) ? undefined : registration)
      )
  })

export const requestStores = bugsOf<ChangeStore>({
  "a requestId is written once": {
    "a second request replaces the digest of the first": (store) => {
      const digests = new Map<string, string>()
      return {
        ...shown((row) => ({ ...row, digest: digests.get(row.requestId) ?? row.digest }))(store),
        write: (request, options) => {
          digests.set(request.requestId, request.digest)
          return store.write(request, options)
        }
      }
    },
    "requestIds are compared without regard to case": (store) => ({
      write: (request, options) =>
        Effect.map(store.write(request, options), (result) => ({
          ...result,
          isNew: result.isNew && request.requestId !== "R1"
        }))
    })
  },
  "a sealed body stays": {
    "the body is trimmed when it is written": (store) => ({
      write: (request, options) => store.write({ ...request, body: request.body?.trim() }, options)
    }),
    "the body stays after the outcome": (store) => {
      const bodies = new Map<string, string | undefined>()
      return {
        ...shown((row) => ({ ...row, body: row.body ?? bodies.get(row.requestId) }))(store),
        write: (request, options) =>
          Effect.map(store.write(request, options), (result) => {
            if (result.isNew) bodies.set(request.requestId, request.body)
            return result
          })
      }
    }
  },
  "a request is in doubt": {
    "a recovered request is not in doubt": claimed((row) => ({
      ...row,
      lease: { ...row.lease, inDoubt: false }
    })),
    "any attempt without effect ends the doubt": (store) => {
      const ended = new Set<string>()
      return {
        ...shown((row) => (ended.has(row.requestId) ? { ...row, begunAt: undefined } : row))(store),
        release: (leased, release) => {
          if (release.hadNoEffect === true) ended.add(leased.requestId)
          return store.release(leased, release)
        }
      }
    }
  },
  "one process has a request": {
    "a lease that was lost is renewed": (store) => ({
      renew: (leased, until) => Effect.as(store.renew(leased, until), true)
    }),
    "an attempt begins under a lease that was lost": (store) => ({
      begin: (leased, options) =>
        Effect.map(store.begin(leased, options), (begun) => begun ?? leased)
    }),
    "a worker releases the lease of another one": (store) => ({
      release: (leased, release) =>
        Effect.flatMap(store.get(leased.requestId), (row) =>
          store.release(row !== undefined && isLeased(row) ? row : leased, release)
        )
    })
  },
  "a request is due": {
    "one more request is claimed than asked for": (store) => ({
      claim: (options) => store.claim({ ...options, limit: options.limit + 1 })
    }),
    "the newest of the claimed requests is first": (store) => ({
      claim: (options) =>
        Effect.map(store.claim(options), ({ dueAt, rows }) => ({ dueAt, rows: rows.toReversed() }))
    }),
    "the wait after an attempt is left out": (store) => ({
      release: (leased, release) => store.release(leased, { ...release, dueAt: release.at })
    })
  },
  "refusals are counted": {
    "refusals are not kept": shown((row) => ({ ...row, refusals: undefined })),
    "a refusal in other words is counted anew": shown((row) =>
      row.refusals?.reason === "404" ? { ...row, refusals: { ...row.refusals, count: 1 } } : row
    )
  },
  "a parked request is listed": {
    "the list of parked requests ignores the cursor": (store) => ({
      parked: ({ limit }) => store.parked({ limit })
    }),
    "a redrive sends a request in doubt after the window": (store) => ({
      redrive: (requestId, redrive) => store.redrive(requestId, { ...redrive, window: Infinity })
    })
  },
  "an outcome is replaced": {
    "a request is given up without its lease": (store) => ({
      settle: (requestId, settlement, registration) =>
        Effect.flatMap(store.get(requestId), (row) =>
          store.settle(
            requestId,
            { ...settlement, lease: settlement.lease ?? row?.lease?.id },
            registration
          )
        )
    }),
    "a later answer replaces the first one": (store) => {
      const answers = new Map<string, RequestRow["outcome"]>()
      return {
        ...shown((row) => ({ ...row, outcome: answers.get(row.requestId) ?? row.outcome }))(store),
        settle: (requestId, settlement, registration) => {
          if (settlement.outcome._tag === "Answered") answers.set(requestId, settlement.outcome)
          return store.settle(requestId, settlement, registration)
        }
      }
    },
    "a request that was begun is cancelled": (store) => ({
      cancel: (requestId, at) =>
        Effect.flatMap(store.get(requestId), (row) =>
          row?.begunAt === undefined ? store.cancel(requestId, at) : Effect.succeed(true)
        )
    })
  },
  "an outcome and the registration": {
    "the transaction of the first answer is not registered": unregistered(
      (row) => row?.outcome === undefined
    )
  },
  "whatever an answer names": {
    "a process that lost registers nothing": unregistered(
      (row) => row?.outcome?._tag === "Answered"
    )
  },
  "a confirmed transaction replaces": {
    "a refusal stays, whatever is confirmed": (store) => ({
      settle: (requestId, settlement, registration) =>
        Effect.flatMap(store.get(requestId), (row) =>
          row?.outcome?._tag === "Refused" && row.kind === "apm-payment"
            ? Effect.succeed({
                before: row,
                row,
                isSettled: false,
                isProvedWrong: false,
                refusal: undefined
              })
            : store.settle(requestId, settlement, registration)
        )
    })
  },
  "a confirmed transaction whose": {
    "a confirmed transaction does not settle its request": shown((row) => {
      const isFound = row.outcome?._tag === "Found" && row.kind === "apm-payment"
      return isFound && row.settledAt === 40 ? { ...row, outcome: undefined } : row
    })
  },
  "a transaction settles no request": {
    "a transaction settles a request before it is confirmed": shown((row) =>
      row.kind === "apm-payment" && row.lease?.until === 20
        ? { ...row, outcome: { _tag: "Found" } }
        : row
    )
  },
  "a token that was moved": {
    "the amount of a request is not kept": (store) => ({
      write: (request, options) => store.write({ ...request, ordered: undefined }, options)
    })
  },
  "a found request is sent after": {
    "a found request loses its body at once": claimed((row) =>
      row.deniedTransactionId === undefined || row.kind !== "apm-payment"
        ? row
        : { ...row, body: undefined }
    )
  },
  "a worker that waits": {
    "a waiting worker is not woken": () => ({ awaitWork: Effect.never })
  }
})
