const has = (actual: unknown, expected: unknown, isAll: boolean): boolean => {
  if (Object.is(actual, expected)) return true
  if (typeof actual !== "object" || typeof expected !== "object") return false
  if (actual === null || expected === null) return false
  if (Array.isArray(actual) !== Array.isArray(expected)) return false
  const names = (value: object) =>
    Object.keys(value).filter((name) => Reflect.get(value, name) !== undefined)
  if ((isAll || Array.isArray(actual)) && names(actual).length !== names(expected).length)
    return false
  return Object.keys(expected).every((name) =>
    has(Reflect.get(actual, name), Reflect.get(expected, name), isAll)
  )
}

const show = (value: unknown): string =>
  value === undefined ? "undefined" : JSON.stringify(value, undefined, 2)

const failed = (message: string) => Object.assign(new Error(message), { stack: "" })

const check = (isRight: boolean, actual: unknown, relation: string, expected: unknown): void => {
  if (!isRight) throw failed(`Expected\n${show(actual)}\n${relation}\n${show(expected)}`)
}

/** Makes the assertions about a value. A member that is undefined may be missing. */
export const expect = <Actual>(actual: Actual) => ({
  /** `words` describe the values that a predicate admits. */
  toSatisfy: (words: string, admits: (actual: Actual) => boolean) => {
    if (!admits(actual)) throw failed(`Expected ${words}, not\n${show(actual)}`)
  },
  toEqual: (expected: unknown) => check(has(actual, expected, true), actual, "to be", expected),
  toMatchObject: (expected: unknown) =>
    check(has(actual, expected, false), actual, "to have", expected),
  toBe: (expected: unknown) => check(Object.is(actual, expected), actual, "to be", expected),
  toBeUndefined: () => check(actual === undefined, actual, "to be", undefined),
  toBeDefined: () => check(actual !== undefined, actual, "not to be", undefined)
})
