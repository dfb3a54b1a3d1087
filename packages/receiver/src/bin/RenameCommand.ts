/**
 * The command `rename`: gives a store to the same service at its new base URL. It needs the keys
 * that seal texts.
 */
import { baseUrl } from "@pawl/http/internal/config/Settings"
import * as NodeHmac from "@pawl/core/NodeHmac"
import { Records } from "@pawl/webhook/internal/records/Records"
import { rename } from "@pawl/webhook/internal/requests/Rename"
import { layerConfig, Seal } from "@pawl/webhook/Seal"
import * as Argument from "effect/cli/Argument"
import * as CommandOutput from "@pawl/webhook/internal/CommandOutput"
import * as Command from "effect/cli/Command"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as StoreFlag from "./StoreFlag.ts"

const input = {
  from: Argument.String("old").pipe(
    Argument.withDescription("The current base URL of the store, such as https://old.example/api")
  ),
  to: Argument.String("new").pipe(Argument.withDescription("The new base URL of the same service")),
  store: StoreFlag.store
}

/**
 * Command that ends with 1 if the store belongs to the service at another base URL, or an open request
 * is sealed by another key.
 */
export const command = Command.make("rename", input, ({ from, store, to }) =>
  StoreFlag.within(
    store,
    Effect.gen(function* () {
      const [old, next] = [baseUrl(from), baseUrl(to)]
      if (Result.isFailure(old))
        return yield* CommandOutput.report(`The current base URL cannot be used: ${old.failure}.`)
      if (Result.isFailure(next))
        return yield* CommandOutput.report(`The new base URL cannot be used: ${next.failure}.`)
      const unopened = yield* rename(yield* Records, yield* Seal, old.success, next.success)
      if (unopened === undefined) {
        return yield* CommandOutput.report(
          `The store does not belong to the service at ${from}: start a receiver on it, and the error names the base URL that it has`
        )
      }
      yield* Console.log(`The store belongs to the service at ${next.success}`)
      if (unopened > 0) {
        return yield* CommandOutput.report(
          `The open requests that no given key opens (${unopened}) cannot be sent: give their keys, and run rename again before a receiver starts`
        )
      }
    }).pipe(
      Effect.provide(Layer.provide(layerConfig, NodeHmac.layer)),
      Effect.catchTag(["InvalidSealKey", "InvalidSecret"], ({ message }) =>
        CommandOutput.report(message)
      ),
      Effect.catchTag("ConfigError", ({ message }) => CommandOutput.report(message))
    )
  )
).pipe(
  Command.withDescription(
    "Moves a store to the new base URL of the same service, after its host was renamed. Never name another service: its transactions have the same ids"
  ),
  Command.withShortDescription("Moves a store to the new base URL of the same service"),
  CommandOutput.example(
    "https://old.example/api https://new.example/api --store sqlite:callbacks.db",
    "The host of the service was renamed"
  )
)
