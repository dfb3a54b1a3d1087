/**
 * The version of the package, which the client sends as its `User-Agent`.
 */
export const version = "0.0.0"
