/**
 * Refuses the id of a payment that has lost digits.
 */

/** Makes a number beyond 2^53 invalid: it has lost digits, and may be the id of another payment. */
export const withExactId = <Fields extends { readonly requestId: string }>(
  fields: Fields
): Fields => {
  const id: unknown = Reflect.get(fields, "transactionId")
  return typeof id === "number" && !Number.isSafeInteger(id)
    ? { ...fields, transactionId: "inexact" }
    : fields
}
