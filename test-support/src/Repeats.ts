/**
 * Returns how often a property runs: `full` times with `PAWL_FULL=1`, as the workflow `nightly`
 * sets it, otherwise a share of them.
 */
export const repeats = (full: number, share = 4): number =>
  process.env["PAWL_FULL"] === "1" ? full : Math.ceil(full / share)
