/**
 * The receiver of the callbacks that belong to no merchant. It refuses them with the work of a
 * refused forgery, so neither response nor time tells which merchants and accounts there are
 * (`docs/decisions/0102-each-merchant-of-a-receiver-has-its-own-ledger.md`).
 */
import * as Handler from "@pawl/core/Handler"
import { StatusReader } from "@pawl/core/StatusReader"
import { RefusedAlarm } from "@pawl/webhook/internal/doors/RefusedAlarm"
import * as Ledger from "@pawl/webhook/Ledger"
import * as Receiver from "@pawl/webhook/Receiver"
import * as Verifier from "@pawl/webhook/Verifier"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Hash from "effect/Hash"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

const unknownMerchant =
  "callbacks are refused with 401 because their account or their URL belongs to no merchant of this receiver"

/**
 * The receivers of nobody: with a single one each callback would find its objects in the caches of
 * the processor, and those of a merchant would be slower by a microsecond, which 800 callbacks
 * show.
 */
export const numbers = [0, 1, 2, 3, 4, 5, 6, 7] as const

export const numberOf = (account: string): number => Hash.string(account) & (numbers.length - 1)

const secret = () => globalThis.crypto.getRandomValues(new Uint8Array(32))

/** Layer of a receiver whose secret nobody knows, so that its ledger stays empty. */
export const layer = Layer.suspend(() =>
  Receiver.layer().pipe(
    Layer.provide([
      Handler.layer(() => Effect.void),
      Layer.succeed(StatusReader, { read: () => Effect.never }),
      Verifier.layer({ current: Redacted.make(Hex.encode(secret())) }),
      Layer.succeed(RefusedAlarm, unknownMerchant)
    ]),
    Layer.provideMerge(Ledger.layerMemory),
    Layer.orDie
  )
)
