/**
 * The id of a merchant, which can be part of a URL.
 */
export const isValid = (id: string): boolean => /^[a-z0-9][a-z0-9_-]{0,31}$/u.test(id)

/** Says which ids can be used. */
export const rule =
  "The id of a merchant must be 1 to 32 lower-case letters, digits, - and _, and begin with a letter or digit"
