/**
 * Divides the waiting callbacks among the merchants of a receiver, by their number and by their
 * bytes.
 *
 * Beyond a total a merchant is refused at its equal share. Beyond one and a half times the total
 * all merchants share a reserve. So a merchant whose store hangs takes neither connections nor
 * memory from the others.
 */
import * as Context from "effect/Context"

/** `take` returns false if a callback of so many bytes may not wait now. */
export interface Share {
  readonly take: (bytes: number) => boolean
  readonly giveBack: (bytes: number) => void
}

export const Share: Context.Reference<Share | undefined> = /* @__PURE__ */ Context.Reference(
  "@pawl/webhook/internal/doors/Share",
  { defaultValue: (): Share | undefined => undefined }
)

interface Part {
  readonly mayTake: () => boolean
  readonly add: (amount: number) => void
}

const divide = (total: number, merchants: number): (() => Part) => {
  const reserve = Math.max(1, total / 2 / merchants)
  let waiting = 0
  let holders = 0
  return () => {
    let own = 0
    return {
      mayTake: () =>
        waiting < total || own < reserve || (waiting < 1.5 * total && own * holders < total),
      add: (amount) => {
        holders += Number(own + amount > 0) - Number(own > 0)
        own += amount
        waiting += amount
      }
    }
  }
}

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
