/**
 * The rules of a list of merchants: an id can be part of a URL, and no two merchants have one id or account.
 */

/** A merchant in a list. */
export interface Listed {
  readonly id: string
  readonly accounts?: ReadonlyArray<string> | undefined
}

/** A problem of the merchant at a position. The message has no account. */
export interface Problem {
  readonly position: number
  readonly field: "id" | "accounts"
  readonly message: string
}

/** Lists the problems of merchants, at most one for each field. */
export const problemsOf = (merchants: ReadonlyArray<Listed>): ReadonlyArray<Problem> => {
  const ids = new Set<string>()
  const byAccount = new Map<string, string>()
  return merchants.flatMap(({ accounts = [], id }, position) => {
    const isValid = /^[a-z0-9][a-z0-9_-]{0,31}$/u.test(id)
    const isRepeated = ids.has(id)
    ids.add(id)
    const others = accounts.map((account) => {
      const other = byAccount.get(account) ?? id
      byAccount.set(account, other)
      return other
    })
    const other = others.find((each) => each !== id)
    const problems: ReadonlyArray<readonly [Problem["field"], string | false]> = [
      [
        "id",
        !isValid &&
          "The id of a merchant must be 1 to 32 lower-case letters, digits, - and _, and begin with a letter or digit"
      ],
      ["id", isValid && isRepeated && `Two merchants have the id ${id}`],
      ["accounts", isValid && other !== undefined && `An account of ${id} is one of ${other}, too`]
    ]
    return problems.flatMap(([field, message]) =>
      message === false ? [] : [{ position, field, message }]
    )
  })
}

/** Returns the merchant of each account. */
export const byAccountOf = (merchants: ReadonlyArray<Listed>): ReadonlyMap<string, string> =>
  new Map(
    merchants.flatMap(({ accounts = [], id }) => accounts.map((account) => [account, id] as const))
  )
