/**
 * The merchant's own books: what the handler was told of each transaction, in order.
 */
import * as Handler from "@pawl/core/Handler"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export class Orders extends Context.Service<
  Orders,
  {
    readonly tell: (transition: Handler.Transition) => Effect.Effect<void>
    readonly told: (transactionId: string) => ReadonlyArray<Handler.Transition>
  }
>()("@pawl/examples/demo/Orders") {}

export const layer = Layer.sync(Orders, () => {
  const books = new Map<string, Array<Handler.Transition>>()
  const told = (transactionId: string) => books.get(transactionId) ?? []
  return {
    told,
    tell: (transition) =>
      Effect.sync(() => {
        books.set(transition.transactionId, [...told(transition.transactionId), transition])
      })
  }
})

/** The handler the receiver tells: it writes the books. */
export const layerHandler = Handler.layer((transition) =>
  Effect.flatMap(Orders, ({ tell }) => tell(transition))
)
