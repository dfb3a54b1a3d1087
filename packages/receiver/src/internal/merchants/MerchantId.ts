/** Tells whether an id can be part of a URL. */
export const isValid = (id: string): boolean => /^[a-z0-9][a-z0-9_-]{0,31}$/u.test(id)

export const rule =
  "The id of a merchant must be 1 to 32 lower-case letters, digits, - and _, and begin with a letter or digit"
