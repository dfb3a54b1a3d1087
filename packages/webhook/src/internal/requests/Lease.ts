/** A lease lasts 30 seconds and is renewed every 10 seconds. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { LeasedRequest } from "../rule/RequestRow.ts"
import type { RequestStore } from "../ledger/RequestStore.ts"
import * as LedgerLease from "../work/Lease.ts"

type Store = RequestStore["Service"]

export const duration = Duration.toMillis(Duration.seconds(30))

export const timeOf = (store: Store): Effect.Effect<number> =>
  Effect.map(Clock.Clock, (clock) => store.time(clock))

/** Renews a lease until it is lost, or could not be renewed for 15 seconds. */
export const renew = (store: Store, leased: LeasedRequest): Effect.Effect<void> =>
  timeOf(store).pipe(
    Effect.flatMap((now) => store.renew(leased, now + duration)),
    LedgerLease.renewEach(duration)
  )
