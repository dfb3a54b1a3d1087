/**
 * Masks the values of secret members for the console: card numbers, security codes, tokens, secrets
 * and checksums. Returns undefined for a text with a letter as an escape, in which such members
 * cannot be found.
 */
export const masked = (text: string): string | undefined =>
  text === "" || escapedLetter.test(text)
    ? undefined
    : text.replace(secrets, '$1"•••"').replace(accessToken, "•••").replace(cardNumber, "•••")

const escapedLetter = /\\u00[0-7]/iu

const secrets =
  /("(?:[a-z_]*secret|[a-z_]*token|checksum|(?:card_?|primary_?account_?)?number|pan|(?:card_?)?(?:cv[vcn]|csc)2?|(?:card_?)?(?:security|verification)_?(?:code|value|number)|ssn|identityCode|jwt)"\s*:\s*)(?:"(?:[^"\\]|\\.)*"?|[^\s,{}[\]]+)/giu

/**
 * A JWT in any place, since the response of `/auth` may be a bare string. A search from each `eyJ`
 * would take quadratic time.
 */
const accessToken = /(?<![\w-])(?=[\w-]*\beyJ[\w-])[\w-]+\.[\w-]+\.[\w-]+/gu

/** A card number in groups of four digits, in any member. */
const cardNumber = /\b[0-9]{4}(?:[ -][0-9]{4}){2,3}(?:[ -][0-9]{1,3})?\b/gu
