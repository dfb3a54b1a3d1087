/** The parts of a merchant: the client, the durable requests, the receiver and the store. */
import type * as Handler from "@pawl/core/Handler"
import * as NodeHmac from "@pawl/core/NodeHmac"
import * as Profile from "@pawl/core/Profile"
import * as ProfileFile from "@pawl/http/internal/NodeProfileFile"
import type * as Client from "@pawl/http/Pawl"
import * as CallbackUrl from "@pawl/webhook/CallbackUrl"
import * as NodeStore from "@pawl/webhook/internal/ledger/NodeStore"
import * as Receiver from "@pawl/webhook/Receiver"
import * as Requests from "@pawl/webhook/Requests"
import * as Seal from "@pawl/webhook/Seal"
import * as Verifier from "@pawl/webhook/Verifier"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Options from "./Options.ts"

/** Layer of the parts of a merchant. `provider` has the secrets and the limits of the client. */
export const layer = <E, R>(
  client: Layer.Layer<Client.Services, E>,
  { callbackUrl, store }: Options.Read,
  {
    handler,
    profile,
    provider,
    rebuild
  }: {
    readonly handler: Layer.Layer<Handler.Handler, never, R>
    readonly profile?: Profile.Options | undefined
    readonly provider: ConfigProvider.ConfigProvider
    readonly rebuild?: Requests.Options["rebuild"]
  }
) =>
  Layer.mergeAll(Receiver.layer(), Requests.layer({ callbackUrl, rebuild })).pipe(
    Layer.provide([handler, Verifier.layerConfig, CallbackUrl.layerConfig, Seal.layerConfig]),
    Layer.provideMerge([client, NodeStore.layer(store)]),
    Layer.provide(NodeHmac.layer),
    Layer.provideMerge(
      Layer.unwrap(
        Effect.map(ProfileFile.switches, (switches) => Profile.layer({ ...switches, ...profile }))
      )
    ),
    Layer.provide(ConfigProvider.layer(provider))
  )

/** Warns of a store that is lost at the end of the process, except in a test. */
export const warning = ({ store }: Options.Read): Effect.Effect<void> => {
  const { NODE_ENV, NODE_TEST_CONTEXT } = process.env
  const isTest = NODE_ENV === "test" || NODE_TEST_CONTEXT !== undefined
  return store._tag !== "memory" || isTest
    ? Effect.void
    : Effect.logWarning(
        "Requests and callbacks are kept in memory, and lost when the process ends: the store sqlite:FILE keeps them"
      )
}
