/**
 * Divides the callbacks that wait for their stores among the merchants of a receiver, by their number and by their bytes.
 *
 * Up to a total nobody is refused. Beyond it a merchant is refused if as much of his waits as his equal share of the
 * total, among the merchants with a waiting callback. Beyond one and a half times the total only a reserve is left, divided
 * among all merchants. So at most about twice the total waits, whatever hangs, and the callbacks of a merchant whose store hangs
 * hold neither the connections nor the memory that those of the others need.
 */
import * as Context from "effect/Context"

/** The share of a merchant. `take` returns false if a callback of his with so many bytes may not wait now. */
export interface Share {
  readonly take: (bytes: number) => boolean
  readonly giveBack: (bytes: number) => void
}

/** The share of a receiver. It is undefined if the receiver has a single merchant. */
export const Share: Context.Reference<Share | undefined> = /* @__PURE__ */ Context.Reference(
  "@pawl/webhook/internal/doors/Share",
  { defaultValue: (): Share | undefined => undefined }
)

/** The part of a merchant in a total of callbacks, or of bytes. */
interface Part {
  readonly mayTake: () => boolean
  readonly add: (amount: number) => void
}

/** Makes the function that makes the part of each merchant in a total. */
const divide = (total: number, merchants: number): (() => Part) => {
  const reserve = Math.max(1, total / 2 / merchants)
  let waiting = 0
  let holders = 0
  return () => {
    let own = 0
    return {
      mayTake: () =>
        waiting < total ||
        own < reserve ||
        (waiting < 1.5 * total && own * (own === 0 ? holders + 1 : holders) < total),
      add: (amount) => {
        holders += Number(own + amount > 0) - Number(own > 0)
        own += amount
        waiting += amount
      }
    }
  }
}

/** Makes the function that makes the share of each of some merchants in the totals. */
export const make = (
  total: { readonly callbacks: number; readonly bytes: number },
  merchants: number
): (() => Share) => {
  const makeCallbacks = divide(total.callbacks, merchants)
  const makeBytes = divide(total.bytes, merchants)
  return () => {
    const callbacks = makeCallbacks()
    const bytes = makeBytes()
    const add = (count: number, size: number) => {
      callbacks.add(count)
      bytes.add(size)
    }
    return {
      take: (size) => {
        const isTaken = callbacks.mayTake() && bytes.mayTake()
        if (isTaken) add(1, size)
        return isTaken
      },
      giveBack: (size) => add(-1, -size)
    }
  }
}
