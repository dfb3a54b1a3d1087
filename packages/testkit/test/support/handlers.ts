import type { Transition } from "@pawl/core/Handler"
import { isStatus, rank } from "@pawl/core/Status"
import { bugsOf } from "@pawl/test-support/Bugs"
import type { Books, Handle, Open, Order } from "../../src/Laws/Handler.ts"

interface Parts {
  readonly isOurs: (transition: Transition, order: Order) => boolean
  /** The name under which the last transition is stored. */
  readonly key: (transition: Transition) => string
  readonly isLater: (transition: Transition, stored: Transition | undefined) => boolean
  readonly books: (stored: ReadonlyArray<Transition>, order: Order) => Required<Books>
}

const isPayment = ({ kind, requestId }: Transition) =>
  kind === "card-payment" && requestId === "order-17"
const isPaid = ({ kind, to }: Transition) => kind !== "refund" && to === "SUCCEED"
const isRefunded = ({ kind, to }: Transition) => kind !== "refund" && to === "REFUNDED"

const returned = (stored: ReadonlyArray<Transition>, { refunds }: Order) =>
  stored
    .filter(({ kind, to }) => kind === "refund" && to === "SUCCEED")
    .map(({ requestId }) => Number(refunds.find((each) => each.requestId === requestId)?.amount))
    .reduce((sum, each) => sum + each, 0)

export const right: Parts = {
  isOurs: ({ kind, requestId, to }, order) =>
    isStatus(to) &&
    (kind === "card-payment"
      ? requestId === order.requestId
      : kind === "refund" && order.refunds.some((each) => each.requestId === requestId)),
  key: ({ kind, transactionId }) => `${kind} ${transactionId}`,
  isLater: ({ sequence, to }, stored) =>
    stored === undefined || (rank(to) - rank(stored.to) || sequence - stored.sequence) > 0,
  books: (stored, order) => ({
    money: stored.some((each) => isPaid(each) || isRefunded(each))
      ? Number(order.amount) - returned(stored, order)
      : 0,
    stock: stored.some(isPaid) ? 1 : 0
  })
}

type Money = Required<Books>["money"]

/** Books other money than is right. */
const booking =
  (moneyOf: (money: Money, ...of: Parameters<Parts["books"]>) => Money): Parts["books"] =>
  (...of) => {
    const { money, stock } = right.books(...of)
    return { money: moneyOf(money, ...of), stock }
  }

/** A bug: other parts, a wrapped handler in each process, and the number of parcels. */
type Plant = Partial<Parts> & {
  readonly start?: (
    handle: (transition: Transition) => void,
    send: () => void,
    sent: Set<string>
  ) => Handle
  readonly stock?: (stored: ReadonlyArray<Transition>, parcels: number) => number
  /** The money of as many parcels. */
  readonly money?: (parcels: number) => number
}

export const shop =
  (plant: Plant = {}): Open =>
  (order) => {
    const { books, isLater, isOurs, key } = { ...right, ...plant }
    const stored = new Map<string, Transition>()
    const sent = new Set<string>()
    let parcels = 0
    const handle = (transition: Transition) => {
      if (!isOurs(transition, order)) return
      const name = key(transition)
      if (isLater(transition, stored.get(name))) stored.set(name, transition)
    }
    return {
      start: () => plant.start?.(handle, () => parcels++, sent) ?? handle,
      read: () => {
        const now = [...stored.values()]
        const stock = plant.stock?.(now, parcels)
        const money = plant.money?.(parcels)
        return {
          ...books(now, order),
          ...(stock !== undefined && { stock }),
          ...(money !== undefined && { money })
        }
      }
    }
  }

const ends =
  (...names: ReadonlyArray<string>) =>
  ({ to }: Transition) =>
    names.includes(to)

const isSale = (transition: Transition) => isPayment(transition) && transition.to === "SUCCEED"

/**
 * Sends a parcel once for each name. A new process may have lost the names. A slow handler locks in
 * the memory of its process.
 */
const sendingOnce = (
  nameOf: (transition: Transition) => string,
  { isKept = true, isSlow = false, isDue = isSale } = {}
): Plant => ({
  start: (handle, send, seen) => {
    if (!isKept) seen.clear()
    let turn = Promise.resolve()
    const take = async (transition: Transition) => {
      const isNew = isDue(transition) && !seen.has(nameOf(transition))
      if (isSlow) await Promise.resolve()
      if (isNew) send()
      if (isNew) seen.add(nameOf(transition))
      handle(transition)
    }
    return (transition) => (turn = turn.then(() => take(transition)))
  }
})

/** Sends a parcel once for each name, and counts those of a paid order. */
const givingOnce = (...of: Parameters<typeof sendingOnce>): Plant => ({
  ...sendingOnce(...of),
  stock: (stored, parcels) => (stored.some(isPaid) ? parcels : 0)
})

const asFailed = (next: Transition): Transition => ({
  ...next,
  to: isStatus(next.to) ? next.to : "FAILED"
})

const ofEachKind = bugsOf<Plant>({
  "a status counts at a later attempt": {
    "a later attempt is taken for a repeat": {
      start: (handle) => (transition) => transition.attempt === 1 && handle(transition)
    }
  },
  "a call that ends after a later one": {
    "the last call wins, unless its id was seen": {
      isLater: () => true,
      start: (handle, _, seen) => (transition) => {
        if (!seen.has(transition.id)) handle(transition)
        seen.add(transition.id)
      }
    },
    "the stored status is read before a wait and replaced after it": {
      isLater: () => true,
      start: (handle, _, seen) => async (next) => {
        const stored = [...seen].map((each): Transition => JSON.parse(each))
        const same = stored.filter(({ transactionId }) => transactionId === next.transactionId)
        const isLater = isStatus(next.to) && same.every((each) => right.isLater(next, each))
        await Promise.resolve()
        if (isLater) seen.add(JSON.stringify(next))
        if (isLater) handle(next)
      }
    }
  },
  "an unknown status": {
    "an unknown status ends a transaction": {
      start:
        (handle, _, ended) =>
        ({ transactionId, ...next }) => {
          if (!isStatus(next.to)) ended.add(transactionId)
          if (!ended.has(transactionId)) handle({ transactionId, ...next })
        }
    }
  },
  "after an older backup": {
    "the sequence alone decides": {
      isLater: ({ sequence }, stored) => sequence > (stored?.sequence ?? 0)
    }
  },
  "`to` decides": {
    "a call is dropped if its `from` is not the stored status": {
      isLater: (next, stored) =>
        right.isLater(next, stored) && (next.from === null || next.from === stored?.to)
    }
  }
})

export const handlers = [
  ...ofEachKind,
  ...bugsOf<Plant>({
    "SUCCEED of a payment": {
      "the goods are never given": { stock: () => 0 },
      "without a refund the hundredths of the amount are cut off": {
        books: booking((money, stored, order) =>
          returned(stored, order) > 0 ? money : Math.trunc(Number(money))
        )
      }
    },
    "refunds of parts": {
      "the hundredths of a refund are cut off": {
        books: (stored, order) =>
          right.books(stored, {
            ...order,
            refunds: order.refunds.map(({ amount, requestId }) => ({
              requestId,
              amount: String(Math.trunc(Number(amount) * 100) / 100)
            }))
          })
      },
      "two refunds of one amount count as one": {
        key: ({ kind, requestId, transactionId }) =>
          kind === "refund" ? String(requestId).replace("2", "1") : transactionId
      },
      "a refund is stored under its number alone, which a payment may have": {
        key: ({ transactionId }) => transactionId
      },
      "REFUNDED takes the whole amount": {
        books: booking((money, stored) => (stored.some(isPaid) ? money : 0))
      }
    },
    "statuses that were passed over": {
      "CHARGEBACK takes an amount that was never booked": {
        books: booking((money, stored, order) => {
          const taken = stored.some(({ from, to }) => to === "CHARGEBACK" && from !== "SUCCEED")
          return taken ? `-${order.amount}` : money
        })
      },
      "SUCCEED counts only after PROCESSING": {
        isLater: (next, stored) =>
          right.isLater(next, stored) &&
          (!isPayment(next) || next.to !== "SUCCEED" || stored?.to === "PROCESSING")
      }
    },
    "an order that is not paid": {
      "the goods are given at PROCESSING": {
        stock: (stored) =>
          stored.some((each) => isPayment(each) && ends("PROCESSING", "SUCCEED")(each)) ? 1 : 0
      }
    },
    "a status that only a read found": {
      "the amount is read from the callback": {
        books: (stored, order) => ({
          ...right.books(stored, order),
          money:
            Number(stored.find((each) => isPaid(each) || isRefunded(each))?.signed?.amount ?? 0) -
            returned(stored, order)
        })
      },
      "the amount of a refund is read from the callback": {
        books: (stored, order) =>
          right.books(
            stored.filter(({ kind, signed }) => kind !== "refund" || signed !== null),
            order
          )
      }
    },
    "a repeat changes nothing": {
      "a restart forgets the parcels that were sent": givingOnce(
        ({ requestId }) => String(requestId),
        { isKept: false }
      ),
      "a refund is taken in each attempt": {
        key: ({ attempt, kind, transactionId }) =>
          `${transactionId} ${kind === "refund" && attempt}`
      }
    },
    "two calls of one transition": {
      "a lock in memory is around the look and the write": givingOnce(
        ({ requestId }) => String(requestId),
        { isSlow: true }
      )
    },
    "after an older backup": {
      "a parcel is sent once for each id": givingOnce(
        ({ id, requestId }) => `${requestId} ${id.split(":")[2]}`
      )
    },
    "CHARGEBACK takes": {
      "the money stays after CHARGEBACK": {
        books: booking((money, stored, order) =>
          stored.some(ends("CHARGEBACK")) ? Number(order.amount) : money
        )
      },
      "the goods that a refund took back are taken again at CHARGEBACK": {
        stock: (stored) =>
          stored.some(isPaid)
            ? 1
            : -stored.filter(({ from, to }) => to === "CHARGEBACK" && from === "REFUNDED").length
      }
    },
    "a refund of the whole amount": {
      "the goods of a refunded order stay given": {
        stock: (stored) => (stored.some((each) => isPaid(each) || isRefunded(each)) ? 1 : 0)
      }
    },
    "a refund that has not succeeded": {
      "a refund counts when it begins": {
        books: (stored, order) =>
          right.books(
            stored.map((each) => (each.kind === "refund" ? { ...each, to: "SUCCEED" } : each)),
            order
          )
      }
    },
    "each payment of an order": {
      "the sequence is kept for the order and not for the transaction": {
        key: ({ requestId }) => String(requestId)
      }
    },
    "an order that is paid twice": {
      "the goods are given for each payment that is SUCCEED": {
        stock: (stored) => stored.filter(isPaid).length
      }
    },
    "in a conflict": {
      "a parcel is sent once for each conflict": {
        ...sendingOnce(({ conflict, requestId }) => `${requestId} ${conflict?.join()}`),
        stock: (stored, parcels) =>
          stored.some((each) => isPayment(each) && ends("SUCCEED", "FAILED", "CANCELLED")(each))
            ? parcels
            : 0
      },
      "the goods are taken back at FAILED and once more at CANCELLED": {
        stock: (stored) =>
          stored.some(isPaid) ? 1 : -stored.filter(({ conflict }) => conflict?.length === 3).length
      }
    },
    "an unknown status": {
      "every other status takes the goods back": {
        isOurs: (next, order) => right.isOurs(asFailed(next), order),
        isLater: (next, stored) => right.isLater(asFailed(next), stored)
      },
      "an unknown status throws": {
        start: (handle) => (transition) => {
          if (!isStatus(transition.to)) throw new Error("a status without a name in the shop")
          handle(transition)
        }
      }
    },
    "a transaction of another order": {
      "an order that the shop does not have throws": {
        start: (handle) => (transition) => {
          if (!/^(?:order|return)-\d+$/u.test(String(transition.requestId)))
            throw new Error("no order")
          handle(transition)
        }
      },
      "the order is not looked up": {
        isOurs: (next, order) =>
          isStatus(next.to) && (next.kind === "card-payment" || right.isOurs(next, order))
      }
    }
  })
]

const isPayout = ({ kind, requestId }: Transition) =>
  kind === "apm-payout" && requestId === "order-17"
const isBack = ends("FAILED", "CANCELLED", "REFUNDED", "CHARGEBACK")

const rightPayouts: Parts = {
  ...right,
  isOurs: (next) => isStatus(next.to) && isPayout(next),
  books: (stored, order) => ({ money: stored.some(isBack) ? order.amount : 0, stock: 0 })
}

export const payoutShop = (plant: Plant = {}): Open => shop({ ...rightPayouts, ...plant })

const returningOnce = (
  nameOf: (transition: Transition) => string,
  options: Parameters<typeof sendingOnce>[1] = {}
): Plant => ({
  ...sendingOnce(nameOf, {
    ...options,
    isDue: (transition) => isPayout(transition) && isBack(transition)
  }),
  money: (parcels) => parcels * 19.99
})

export const payoutHandlers = [
  ...ofEachKind,
  ...bugsOf<Plant>({
    "the amount of a payout comes back": {
      "a payout that the bank sends back stays debited": {
        books: (stored, order) => ({
          money: stored.some(ends("FAILED", "CANCELLED")) ? order.amount : 0,
          stock: 0
        })
      },
      "a payout that is charged back stays debited": {
        books: (stored, order) => ({
          money: stored.some(ends("FAILED", "CANCELLED", "REFUNDED")) ? order.amount : 0,
          stock: 0
        })
      }
    },
    "a status that only a read found": {
      "the amount is read from the callback": {
        books: (stored) => ({ money: stored.find(isBack)?.signed?.amount ?? 0, stock: 0 })
      }
    },
    "a repeat changes nothing": {
      "a restart forgets the further attempts": {
        ...returningOnce(String),
        start: (handle, send, seen) => {
          seen.delete("again")
          return (transition) => {
            if (isPayout(transition) && isBack(transition)) {
              if (!seen.has(transition.attempt === 1 ? "back" : "again")) send()
              for (const name of ["back", "again"]) seen.add(name)
            }
            handle(transition)
          }
        }
      },
      "the amount comes back at each call": returningOnce(({ attempt, id }) => `${id} ${attempt}`)
    },
    "two calls of one transition": {
      "a lock in memory is around the look and the write": returningOnce(
        ({ requestId }) => String(requestId),
        { isSlow: true }
      )
    },
    "an unknown status": {
      "every other status gives the amount back": {
        isOurs: (next, order) => rightPayouts.isOurs(asFailed(next), order),
        isLater: (next, stored) => right.isLater(asFailed(next), stored),
        books: (stored, order) => ({
          money: stored.map(asFailed).some(isBack) ? order.amount : 0,
          stock: 0
        })
      }
    },
    "a transaction of another order": {
      "the payout is not looked up": {
        isOurs: ({ kind, to }) => isStatus(to) && kind === "apm-payout"
      }
    },
    "in a conflict": {
      "the amount comes back once for each conflict": returningOnce(
        ({ conflict, requestId }) => `${requestId} ${conflict?.join()}`
      )
    }
  })
]
