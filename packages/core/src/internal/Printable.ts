/** Texts of others on a terminal. */

/** Characters that could move the cursor, or show the rest in another order. */
export const hidden = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu

export const clean = (text: string): string => text.replace(hidden, " ")
