/**
 * The few assertions that laws of one example need, in whatever runner they are run.
 *
 * @since 0.1.0
 */

/** Tells whether a value has everything that is expected; what is undefined may be absent. */
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

const check = (isRight: boolean, actual: unknown, word: string, expected: unknown): void => {
  if (!isRight) throw new Error(`Expected\n${show(actual)}\n${word}\n${show(expected)}`)
}

/**
 * Makes assertions about a value; one that does not hold throws. What is undefined may be absent.
 *
 * @category constructors
 * @since 0.1.0
 */
export const expect = (actual: unknown) => ({
  toEqual: (expected: unknown) => check(has(actual, expected, true), actual, "to be", expected),
  toMatchObject: (expected: unknown) =>
    check(has(actual, expected, false), actual, "to have", expected),
  toBe: (expected: unknown) => check(Object.is(actual, expected), actual, "to be", expected),
  toBeUndefined: () => check(actual === undefined, actual, "to be", undefined),
  toBeDefined: () => check(actual !== undefined, actual, "not to be", undefined)
})
